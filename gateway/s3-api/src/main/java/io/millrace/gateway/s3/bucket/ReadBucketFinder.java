package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.derived.MemberViews;
import io.millrace.gateway.s3.gate.AuthorizedRequest;

/** Finds the bucket of a read or a listing: the one that it names, or the members of the archives there. */
public record ReadBucketFinder(BucketRegistry buckets, MemberViews members) {
    /**
     * Returns the view of the bucket, which may or may not exist at its backend.
     *
     * @throws S3Exception NoSuchBucket if there is no such bucket; NotImplemented for members of a version of an
     *     archive
     */
    public BucketView find(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        if (authorized.archive().isEmpty()) {
            return bucket;
        }
        if (authorized.request().target().parameter("versionId").isPresent()) {
            throw new S3Exception(
                            S3ErrorCode.NOT_IMPLEMENTED,
                            "The members of an archive are those of its current version: leave out versionId.")
                    .with("Parameter", "versionId");
        }
        return members.of(bucket);
    }

    /**
     * Returns the view of a bucket, or that of the members of the archives there.
     *
     * @throws S3Exception NoSuchBucket if there is no such bucket
     */
    public BucketView find(BucketName name, boolean ofMembers) {
        BucketView bucket = buckets.find(name);
        return ofMembers ? members.of(bucket) : bucket;
    }
}
