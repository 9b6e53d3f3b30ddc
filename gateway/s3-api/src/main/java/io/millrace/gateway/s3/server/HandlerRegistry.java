package io.millrace.gateway.s3.server;

import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.CreateBucket;
import io.millrace.gateway.s3.bucket.DeleteBucket;
import io.millrace.gateway.s3.bucket.ExpectedOwnerCheck;
import io.millrace.gateway.s3.bucket.GetBucketLocation;
import io.millrace.gateway.s3.bucket.HeadBucket;
import io.millrace.gateway.s3.bucket.ListBuckets;
import io.millrace.gateway.s3.configuration.ConfigurationForwarder;
import io.millrace.gateway.s3.configuration.UnknownRequestForwarder;
import io.millrace.gateway.s3.cors.CorsRuleCache;
import io.millrace.gateway.s3.cors.PreflightHandler;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.listing.ContinuationTokenSealer;
import io.millrace.gateway.s3.listing.ListInvalidatingBucketChangeHandler;
import io.millrace.gateway.s3.listing.ListObjectVersions;
import io.millrace.gateway.s3.listing.ListObjects;
import io.millrace.gateway.s3.listing.ListObjectsV2;
import io.millrace.gateway.s3.multipart.AbortMultipartUpload;
import io.millrace.gateway.s3.multipart.CompleteMultipartUpload;
import io.millrace.gateway.s3.multipart.CreateMultipartUpload;
import io.millrace.gateway.s3.multipart.ListMultipartUploads;
import io.millrace.gateway.s3.multipart.ListParts;
import io.millrace.gateway.s3.multipart.UploadPart;
import io.millrace.gateway.s3.multipart.UploadPartCopy;
import io.millrace.gateway.s3.object.GetObject;
import io.millrace.gateway.s3.object.HeadObject;
import io.millrace.gateway.s3.object.ObjectReadHandler;
import io.millrace.gateway.s3.post.PostObject;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.write.CopyObject;
import io.millrace.gateway.s3.write.CopySourceResolver;
import io.millrace.gateway.s3.write.DeleteObject;
import io.millrace.gateway.s3.write.DeleteObjects;
import io.millrace.gateway.s3.write.PutObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Creates the handler of each S3 operation. */
public final class HandlerRegistry {
    private HandlerRegistry() {}

    /**
     * Returns one handler for each operation.
     *
     * @param started when the buckets of the settings were created, as far as clients see
     */
    public static List<S3Handler> of(
            S3RequestAuthorizer gate,
            BucketRegistry buckets,
            CorsRuleCache cors,
            CurrentObjectFinder objects,
            HeadPrefetcher prefetches,
            FencedWrites writes,
            ContinuationTokenSealer tokens,
            Instant started) {
        ObjectReadHandler reads = new ObjectReadHandler(buckets, objects, prefetches);
        CopySourceResolver sources = new CopySourceResolver(buckets);
        List<S3Handler> handlers = new ArrayList<>(List.of(
                new ListBuckets(buckets, started),
                new ListInvalidatingBucketChangeHandler(buckets, writes, new CreateBucket(buckets)),
                new GetObject(reads),
                new HeadObject(reads),
                new PutObject(buckets, writes),
                new PostObject(gate, buckets, writes),
                new PreflightHandler(S3Operation.PREFLIGHT_BUCKET, cors),
                new PreflightHandler(S3Operation.PREFLIGHT_OBJECT, cors),
                new CopyObject(buckets, sources, writes),
                new DeleteObject(buckets, writes),
                new DeleteObjects(buckets, writes),
                new CreateMultipartUpload(buckets, writes.pendingUploadCreations()),
                new UploadPart(buckets),
                new UploadPartCopy(buckets, sources),
                new CompleteMultipartUpload(buckets, writes),
                new AbortMultipartUpload(buckets)));
        handlers.addAll(ExpectedOwnerCheck.before(
                buckets,
                new HeadBucket(buckets),
                new ListInvalidatingBucketChangeHandler(buckets, writes, new DeleteBucket(buckets)),
                new GetBucketLocation(buckets),
                new ListObjects(buckets, objects),
                new ListObjectsV2(buckets, objects, tokens),
                new ListObjectVersions(buckets),
                new ListMultipartUploads(buckets),
                new ListParts(buckets)));
        handlers.addAll(ConfigurationForwarder.all(buckets, writes));
        handlers.add(new UnknownRequestForwarder(buckets, writes));
        return handlers;
    }
}
