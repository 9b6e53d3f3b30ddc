package io.millrace.backend.spi;

import java.util.List;
import reactor.core.publisher.Mono;

/** Makes and deletes buckets, under the backend's own rules. The rules of {@link ObjectWriter} hold. */
public interface BucketWriter {
    /** A tag, whose rules are the backend's. */
    record Tag(String key, String value) {}

    /**
     * What is made.
     *
     * @param headers such as {@code x-amz-bucket-object-lock-enabled}, under the rule of
     *     {@link ObjectWriter.NewObject#headers}
     * @param tags in the order they were given; a backend that keeps none refuses them
     */
    record NewBucket(BucketName name, HeaderList headers, List<Tag> tags) {
        public NewBucket {
            tags = List.copyOf(tags);
        }

        /** A bucket without more. */
        public static NewBucket of(BucketName name) {
            return new NewBucket(name, HeaderList.EMPTY, List.of());
        }
    }

    /**
     * Makes a bucket. One that is there is {@link BackendException.Kind#INVALID_REQUEST} in S3's words
     * (BucketAlreadyOwnedByYou), or success where the backend says so.
     */
    default Mono<Void> createBucket(NewBucket bucket) {
        return Refusals.refuse("createBucket");
    }

    /** Deletes an empty bucket; any other is {@link BackendException.Kind#INVALID_REQUEST} (BucketNotEmpty). */
    default Mono<Void> deleteBucket(BucketName bucket) {
        return Refusals.refuse("deleteBucket");
    }
}
