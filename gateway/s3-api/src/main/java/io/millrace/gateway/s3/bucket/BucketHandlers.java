package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Creates the handlers of operations on buckets: their own, listings of objects, and CORS preflight requests. */
public final class BucketHandlers {
    private BucketHandlers() {}

    /**
     * Returns one handler for each operation.
     *
     * @param started when the buckets of the settings were created, as far as clients see
     */
    public static List<S3Handler> all(
            BucketRegistry buckets,
            ReadBucketFinder readBuckets,
            CorsRuleCache cors,
            CurrentObjectFinder objects,
            FencedWrites writes,
            ContinuationTokenSealer tokens,
            Instant started) {
        List<S3Handler> handlers = new ArrayList<>(List.of(
                new ListBuckets(buckets, started),
                new ListInvalidatingBucketChangeHandler(buckets, writes, new CreateBucket(buckets)),
                new PreflightHandler(S3Operation.PREFLIGHT_BUCKET, cors),
                new PreflightHandler(S3Operation.PREFLIGHT_OBJECT, cors)));
        handlers.addAll(ExpectedOwnerCheck.before(
                buckets,
                new HeadBucket(buckets),
                new ListInvalidatingBucketChangeHandler(buckets, writes, new DeleteBucket(buckets)),
                new GetBucketLocation(buckets),
                new ListObjects(readBuckets, objects),
                new ListObjectsV2(readBuckets, objects, tokens),
                new ListObjectVersions(buckets)));
        return handlers;
    }
}
