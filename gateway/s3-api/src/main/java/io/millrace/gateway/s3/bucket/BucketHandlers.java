package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** Creates the handlers of operations on buckets: their own, listings of objects, and CORS preflight requests. */
public final class BucketHandlers {
    private BucketHandlers() {}

    /**
     * Returns the handler of each operation.
     *
     * @param started when the buckets of the settings were created, as far as clients see
     */
    public static Map<S3Operation, S3Handler> all(
            BucketRegistry buckets,
            ReadBucketFinder readBuckets,
            CorsRuleCache cors,
            CurrentObjectFinder objects,
            FencedWrites writes,
            ContinuationTokenSealer tokens,
            Instant started) {
        Map<S3Operation, S3Handler> handlers = new EnumMap<>(S3Operation.class);
        handlers.put(S3Operation.HEAD_BUCKET, new HeadBucket(buckets));
        handlers.put(
                S3Operation.DELETE_BUCKET,
                new ListInvalidatingBucketChangeHandler(buckets, writes, new DeleteBucket(buckets)));
        handlers.put(S3Operation.GET_BUCKET_LOCATION, new GetBucketLocation(buckets));
        handlers.put(S3Operation.LIST_OBJECTS, new ListObjects(readBuckets, objects));
        handlers.put(S3Operation.LIST_OBJECTS_V2, new ListObjectsV2(readBuckets, objects, tokens));
        handlers.put(S3Operation.LIST_OBJECT_VERSIONS, new ListObjectVersions(buckets));
        handlers.replaceAll((operation, handler) -> new ExpectedOwnerCheck(buckets, handler));
        handlers.put(S3Operation.LIST_BUCKETS, new ListBuckets(buckets, started));
        handlers.put(
                S3Operation.CREATE_BUCKET,
                new ListInvalidatingBucketChangeHandler(buckets, writes, new CreateBucket(buckets)));
        handlers.put(S3Operation.PREFLIGHT_BUCKET, new PreflightHandler(cors));
        handlers.put(S3Operation.PREFLIGHT_OBJECT, new PreflightHandler(cors));
        return handlers;
    }
}
