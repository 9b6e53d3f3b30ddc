package io.millrace.gateway.control;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;

/**
 * Scans how much of a bucket or prefix is cached here, a step at a time.
 *
 * @param residents empty if there is no cache
 * @param counted tells of an object of a bucket whether it is counted here
 */
record LocalResidency(Optional<CacheResidency> residents, BiPredicate<BucketView, ObjectRef> counted) {
    /** Bounds the response for a folder of millions of objects. */
    private static final int MAX_CHILDREN = 1000;

    /** Time that one step of a scan takes: short enough to show progress. */
    private static final Duration STEP = Duration.ofSeconds(1);

    /**
     * Scans a step.
     *
     * @param from empty, or what the step before has returned as next
     * @throws ApiException if there is no cache, or {@code from} is no position
     */
    Mono<ResidencyView> step(BucketView bucket, String prefix, String delimiter, String from) {
        CacheResidency cached = residents.orElseThrow(
                () -> ApiException.of(HttpStatus.NOT_IMPLEMENTED, "There is no cache: add a disk below cache.disks."));
        Optional<String> position = from.isEmpty() ? Optional.empty() : Optional.of(from);
        try {
            return cached.step(
                            bucket,
                            prefix,
                            delimiter,
                            MAX_CHILDREN,
                            position,
                            STEP,
                            // Results of transforms are of each member alone, wherever the objects have their homes.
                            object -> bucket.transform().isPresent() || counted.test(bucket, object))
                    .map(step -> ResidencyView.of(bucket, prefix, delimiter, step));
        } catch (IllegalArgumentException e) {
            throw ApiException.invalidField("from", "is empty, or what a step has answered as next");
        }
    }
}
