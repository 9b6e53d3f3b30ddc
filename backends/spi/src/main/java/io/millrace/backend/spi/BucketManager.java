package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Lists, creates and deletes the buckets of a backend. The contract of {@link ObjectWriter} holds. */
public interface BucketManager {
    /** A tag of a bucket. The backend validates it. */
    record BucketTag(String key, String value) {}

    /**
     * The bucket to create.
     *
     * @param headers such as {@code x-amz-bucket-object-lock-enabled}, under the rule of
     *     {@link ObjectWriter.NewObject#headers}
     * @param tags in the order of the request; a backend without tags refuses them
     */
    record NewBucket(BucketName name, HeaderList headers, List<BucketTag> tags) {
        public NewBucket {
            tags = List.copyOf(tags);
        }

        /** Returns a request for a bucket without headers and tags. */
        public static NewBucket of(BucketName name) {
            return new NewBucket(name, HeaderList.EMPTY, List.of());
        }
    }

    /** Lists all buckets, ordered by name. */
    default Mono<List<BucketInfo>> listBuckets() {
        return UnsupportedOperationErrors.error("lists of buckets");
    }

    /**
     * Checks that a bucket exists and is accessible; fails with {@link BackendException.FailureKind#NO_SUCH_BUCKET} if
     * it does not exist.
     */
    Mono<BucketInfo> headBucket(BucketName name);

    /**
     * Asks the server for little, to see whether it responds, is of the expected kind and takes the credentials. Fails
     * as a request of a client would.
     *
     * @param bucket empty if none is known
     * @return what the response leaves open, for operators, as a part of a sentence; empty if that is nothing
     */
    default Mono<String> probe(Optional<BucketName> bucket) {
        return bucket.map(name -> headBucket(name).thenReturn(""))
                .orElseGet(() -> listBuckets().thenReturn(""));
    }

    /**
     * Creates a bucket. If it exists, fails with {@link BackendException.FailureKind#INVALID_REQUEST} and the S3 error
     * BucketAlreadyOwnedByYou, or succeeds where the backend does.
     */
    default Mono<Void> createBucket(NewBucket bucket) {
        return UnsupportedOperationErrors.error("createBucket");
    }

    /**
     * Deletes an empty bucket; fails with {@link BackendException.FailureKind#INVALID_REQUEST} (BucketNotEmpty) if it
     * is not empty.
     */
    default Mono<Void> deleteBucket(BucketName bucket) {
        return UnsupportedOperationErrors.error("deleteBucket");
    }
}
