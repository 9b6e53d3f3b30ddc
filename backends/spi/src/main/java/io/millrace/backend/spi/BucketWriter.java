package io.millrace.backend.spi;

import reactor.core.publisher.Mono;

/** Makes and deletes buckets, under the backend's own rules. The rules of {@link ObjectWriter} hold. */
public interface BucketWriter {
    /**
     * Makes a bucket. One that is there is {@link BackendException.Kind#INVALID_REQUEST} in S3's words
     * (BucketAlreadyOwnedByYou), or success where the backend says so.
     *
     * @param headers such as {@code x-amz-bucket-object-lock-enabled}, under the rule of
     *     {@link ObjectWriter.NewObject#headers}
     */
    default Mono<Void> createBucket(BucketName bucket, HeaderList headers) {
        return Refusals.refuse("createBucket");
    }

    /** Deletes an empty bucket; any other is {@link BackendException.Kind#INVALID_REQUEST} (BucketNotEmpty). */
    default Mono<Void> deleteBucket(BucketName bucket) {
        return Refusals.refuse("deleteBucket");
    }
}
