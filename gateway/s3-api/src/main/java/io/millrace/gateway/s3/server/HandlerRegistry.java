package io.millrace.gateway.s3.server;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.BucketHandlers;
import io.millrace.gateway.s3.bucket.ContinuationTokenSealer;
import io.millrace.gateway.s3.bucket.CorsRuleCache;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.configuration.ConfigurationForwarder;
import io.millrace.gateway.s3.configuration.UnknownRequestForwarder;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.object.ObjectHandlers;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Instant;
import java.util.Map;

/** Creates the handler of each S3 operation. */
public final class HandlerRegistry {
    private HandlerRegistry() {}

    /**
     * Returns the handler of each operation.
     *
     * @param started when the buckets of the settings were created, as far as clients see
     */
    public static Map<S3Operation, S3Handler> of(
            S3RequestAuthorizer gate,
            BucketRegistry buckets,
            ReadBucketFinder readBuckets,
            CorsRuleCache cors,
            CurrentObjectFinder objects,
            HeadPrefetcher prefetches,
            FencedWrites writes,
            ContinuationTokenSealer tokens,
            Instant started) {
        Map<S3Operation, S3Handler> handlers =
                BucketHandlers.all(buckets, readBuckets, cors, objects, writes, tokens, started);
        handlers.putAll(ObjectHandlers.all(gate, buckets, readBuckets, objects, prefetches, writes));
        handlers.putAll(ConfigurationForwarder.all(buckets, writes));
        handlers.put(S3Operation.UNKNOWN, new UnknownRequestForwarder(buckets, writes));
        return handlers;
    }
}
