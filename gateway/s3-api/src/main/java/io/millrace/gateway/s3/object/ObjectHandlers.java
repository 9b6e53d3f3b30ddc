package io.millrace.gateway.s3.object;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ExpectedOwnerCheck;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import java.util.ArrayList;
import java.util.List;

/** Creates the handlers of operations on objects: reads, writes, copies, deletions and multipart uploads. */
public final class ObjectHandlers {
    private ObjectHandlers() {}

    /** Returns one handler for each operation. */
    public static List<S3Handler> all(
            S3RequestAuthorizer gate,
            BucketRegistry buckets,
            ReadBucketFinder readBuckets,
            CurrentObjectFinder objects,
            HeadPrefetcher prefetches,
            FencedWrites writes) {
        ObjectReadHandler reads = new ObjectReadHandler(readBuckets, objects, prefetches);
        CopySourceResolver sources = new CopySourceResolver(buckets);
        List<S3Handler> handlers = new ArrayList<>(List.of(
                new GetObject(reads),
                new HeadObject(reads),
                new PutObject(buckets, writes),
                new PostObject(gate, buckets, writes),
                new CopyObject(buckets, sources, writes),
                new DeleteObject(buckets, writes),
                new DeleteObjects(buckets, writes),
                new CreateMultipartUpload(buckets),
                new UploadPart(buckets),
                new UploadPartCopy(buckets, sources),
                new CompleteMultipartUpload(buckets, writes),
                new AbortMultipartUpload(buckets)));
        handlers.addAll(ExpectedOwnerCheck.before(buckets, new ListMultipartUploads(buckets), new ListParts(buckets)));
        return handlers;
    }
}
