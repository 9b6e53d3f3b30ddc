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
 * Tells a missing bucket from a missing key, where a backend that speaks S3 was asked by HEAD: its 404 has no body to say which.
 * Safe for use by any number of threads.
 */
final class MissingBucketDetector {
    /** Readers of sparse data ask for many keys that are not there; a bucket's end may be told as the keys' for so long. */
    private static final Duration REMEMBERED = Duration.ofSeconds(10);

    private static final int MOST_BUCKETS = 10_000;

    /** Buckets that were found to be there. */
    private final Cache<Place, Boolean> there = Caffeine.newBuilder()
            .maximumSize(MOST_BUCKETS)
            .expireAfterWrite(REMEMBERED)
            .executor(Runnable::run)
            .build();

    private record Place(String backend, BucketName bucket) {}

    /** What is missing: fails with this failure, or with that of the bucket, which is asked for if need be. */
    <T> Mono<T> explain(BucketView bucket, BackendException failure) {
        Place place = new Place(bucket.backendName(), bucket.real());
        if (!isOpen(bucket, failure) || there.getIfPresent(place) != null) {
            return Mono.error(failure);
        }
        return bucket.backend()
                .headBucket(bucket.real())
                .doOnNext(found -> there.put(place, true))
                .onErrorMap(
                        BackendException.class, other -> other.kind() == FailureKind.NO_SUCH_BUCKET ? other : failure)
                .then(Mono.error(failure));
    }

    /** Whether a bucket is there is asked for again. */
    void forget(String backend, BucketName bucket) {
        there.invalidate(new Place(backend, bucket));
    }

    /** A delete marker is a key's. */
    private static boolean isOpen(BucketView bucket, BackendException failure) {
        return failure.kind() == FailureKind.NO_SUCH_KEY
                && failure.s3Error().isEmpty()
                && failure.headers().first("x-amz-delete-marker").isEmpty()
                && bucket.backend().capabilities().contains(Capability.FORWARD);
    }
}
