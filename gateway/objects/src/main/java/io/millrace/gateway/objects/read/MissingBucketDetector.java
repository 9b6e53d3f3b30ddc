package io.millrace.gateway.objects.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Distinguishes a missing bucket from a missing key after a HEAD to an S3 backend, whose 404 has no body with an error
 * code. Thread-safe.
 */
final class MissingBucketDetector {
    /**
     * The time for which a bucket is taken to exist. Readers of sparse data request many absent keys; for this long the
     * removal of the bucket may be reported as missing keys.
     */
    private static final Duration REMEMBERED = Duration.ofSeconds(10);

    private static final int MOST_BUCKETS = 10_000;

    /** Buckets that were found to exist. */
    private final Cache<Place, Boolean> existing = Caffeine.newBuilder()
            .maximumSize(MOST_BUCKETS)
            .expireAfterWrite(REMEMBERED)
            .executor(Runnable::run)
            .build();

    private record Place(String backend, BucketName bucket) {}

    /**
     * Fails with the given failure, or with that of the bucket if the bucket is missing; requests the bucket if
     * necessary.
     */
    <T> Mono<T> explain(BucketView bucket, BackendException failure) {
        return isOpen(bucket, failure) ? require(bucket, failure) : Mono.error(failure);
    }

    /** As {@link #explain}, but of a failure that says nothing of the bucket, since its backend was not asked. */
    <T> Mono<T> require(BucketView bucket, BackendException failure) {
        Place place = new Place(bucket.backendName(), bucket.backendBucket());
        if (existing.getIfPresent(place) != null) {
            return Mono.error(failure);
        }
        return bucket.backend()
                .headBucket(bucket.backendBucket())
                .doOnNext(found -> existing.put(place, true))
                .onErrorMap(
                        BackendException.class, other -> other.kind() == FailureKind.NO_SUCH_BUCKET ? other : failure)
                .then(Mono.error(failure));
    }

    /** Forgets that a bucket exists. */
    void forget(String backend, BucketName bucket) {
        existing.invalidate(new Place(backend, bucket));
    }

    void forgetAll() {
        existing.invalidateAll();
    }

    /** Returns whether the failure may mean a missing bucket. A delete marker proves that the bucket exists. */
    private static boolean isOpen(BucketView bucket, BackendException failure) {
        return failure.kind() == FailureKind.NO_SUCH_KEY
                && failure.s3Error().isEmpty()
                && failure.headers().first("x-amz-delete-marker").isEmpty()
                && bucket.backend().capabilities().contains(Capability.AMBIGUOUS_NOT_FOUND);
    }
}
