package io.millrace.gateway.s3.object;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ExpectedOwnerCheck;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.EnumMap;
import java.util.Map;

/** Creates the handlers of operations on objects: reads, writes, copies, deletions and multipart uploads. */
public final class ObjectHandlers {
    private ObjectHandlers() {}

    /** Returns the handler of each operation. */
    public static Map<S3Operation, S3Handler> all(
            S3RequestAuthorizer gate,
            BucketRegistry buckets,
            ReadBucketFinder readBuckets,
            CurrentObjectFinder objects,
            HeadPrefetcher prefetches,
            FencedWrites writes) {
        ObjectReadHandler reads = new ObjectReadHandler(readBuckets, objects, prefetches);
        CopySourceResolver sources = new CopySourceResolver(buckets);
        Map<S3Operation, S3Handler> handlers = new EnumMap<>(S3Operation.class);
        handlers.put(S3Operation.GET_OBJECT, reads::get);
        handlers.put(S3Operation.HEAD_OBJECT, reads::head);
        handlers.put(S3Operation.GET_BATCH, new GetBatch(readBuckets, reads));
        handlers.put(S3Operation.PUT_OBJECT, new PutObject(buckets, writes));
        handlers.put(S3Operation.POST_OBJECT, new PostObject(gate, buckets, writes));
        handlers.put(S3Operation.COPY_OBJECT, new CopyObject(buckets, sources, writes));
        handlers.put(S3Operation.DELETE_OBJECT, new DeleteObject(buckets, writes));
        handlers.put(S3Operation.DELETE_OBJECTS, new DeleteObjects(buckets, writes));
        handlers.put(S3Operation.CREATE_MULTIPART_UPLOAD, new CreateMultipartUpload(buckets));
        handlers.put(S3Operation.UPLOAD_PART, new UploadPart(buckets));
        handlers.put(S3Operation.UPLOAD_PART_COPY, new UploadPartCopy(buckets, sources));
        handlers.put(S3Operation.COMPLETE_MULTIPART_UPLOAD, new CompleteMultipartUpload(buckets, writes));
        handlers.put(S3Operation.ABORT_MULTIPART_UPLOAD, new AbortMultipartUpload(buckets));
        handlers.put(
                S3Operation.LIST_MULTIPART_UPLOADS, new ExpectedOwnerCheck(buckets, new ListMultipartUploads(buckets)));
        handlers.put(S3Operation.LIST_PARTS, new ExpectedOwnerCheck(buckets, new ListParts(buckets)));
        return handlers;
    }
}
