package io.millrace.gateway.app;

import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.bucket.CreateBucket;
import io.millrace.gateway.bucket.DeleteBucket;
import io.millrace.gateway.bucket.ExpectedOwner;
import io.millrace.gateway.bucket.GetBucketLocation;
import io.millrace.gateway.bucket.HeadBucket;
import io.millrace.gateway.bucket.ListBuckets;
import io.millrace.gateway.configuration.Configuration;
import io.millrace.gateway.configuration.UnknownRequests;
import io.millrace.gateway.cors.CorsRules;
import io.millrace.gateway.cors.Preflight;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Gate;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.listing.ChangedBucket;
import io.millrace.gateway.listing.ListObjectVersions;
import io.millrace.gateway.listing.ListObjects;
import io.millrace.gateway.listing.ListObjectsV2;
import io.millrace.gateway.listing.PageTokens;
import io.millrace.gateway.multipart.AbortMultipartUpload;
import io.millrace.gateway.multipart.CompleteMultipartUpload;
import io.millrace.gateway.multipart.CreateMultipartUpload;
import io.millrace.gateway.multipart.ListMultipartUploads;
import io.millrace.gateway.multipart.ListParts;
import io.millrace.gateway.multipart.UploadPart;
import io.millrace.gateway.multipart.UploadPartCopy;
import io.millrace.gateway.object.GetObject;
import io.millrace.gateway.object.HeadObject;
import io.millrace.gateway.object.ObjectReads;
import io.millrace.gateway.post.PostObject;
import io.millrace.gateway.write.CopyObject;
import io.millrace.gateway.write.CopySources;
import io.millrace.gateway.write.DeleteObject;
import io.millrace.gateway.write.DeleteObjects;
import io.millrace.gateway.write.PutObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** One handler for each operation. Public for the tests of all rooms. */
public final class Handlers {
    private Handlers() {}

    /** All of them. */
    public static List<S3Handler> of(
            Gate gate, Buckets buckets, CorsRules cors, CachedObjects objects, ObjectWrites writes, PageTokens tokens) {
        ObjectReads reads = new ObjectReads(buckets, objects);
        CopySources sources = new CopySources(buckets);
        List<S3Handler> handlers = new ArrayList<>(List.of(
                new ListBuckets(buckets, Instant.now()),
                new ChangedBucket(buckets, objects, new CreateBucket(buckets)),
                new GetObject(reads),
                new HeadObject(reads),
                new PutObject(buckets, writes),
                new PostObject(gate, buckets, writes),
                new Preflight(S3Operation.PREFLIGHT_BUCKET, cors),
                new Preflight(S3Operation.PREFLIGHT_OBJECT, cors),
                new CopyObject(buckets, sources, writes),
                new DeleteObject(buckets, writes),
                new DeleteObjects(buckets, writes),
                new CreateMultipartUpload(buckets, writes.beginningUploads()),
                new UploadPart(buckets),
                new UploadPartCopy(buckets, sources),
                new CompleteMultipartUpload(buckets, writes),
                new AbortMultipartUpload(buckets)));
        handlers.addAll(ExpectedOwner.before(
                buckets,
                new HeadBucket(buckets),
                new ChangedBucket(buckets, objects, new DeleteBucket(buckets)),
                new GetBucketLocation(buckets),
                new ListObjects(buckets, objects),
                new ListObjectsV2(buckets, objects, tokens),
                new ListObjectVersions(buckets),
                new ListMultipartUploads(buckets),
                new ListParts(buckets)));
        handlers.addAll(Configuration.all(buckets, writes));
        handlers.add(new UnknownRequests(buckets, writes));
        return handlers;
    }
}
