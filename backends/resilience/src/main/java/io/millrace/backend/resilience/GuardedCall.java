package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.BucketName;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/**
 * A call of a backend, and how it may be treated.
 *
 * @param bucket what it is about, if anything
 * @param once sends it at each subscription
 * @param deadline until the response; zero for none: then it is each try's wait for its turn that ends at the usual one
 * @param repeatable whether it may be sent again after this failure
 * @param hedged whether it may be sent twice at one time
 * @param streaming returns the response so that the end of its body runs an action: the connection is free then.
 *     Without a body it is free already
 * @param isUpload whether it streams a body to the backend
 */
record GuardedCall<T>(
        Optional<BucketName> bucket,
        Mono<T> once,
        Duration deadline,
        Predicate<BackendException> repeatable,
        boolean hedged,
        Optional<BiFunction<T, Runnable, T>> streaming,
        boolean isUpload) {
    /** A call whose response has no stream. */
    GuardedCall(
            Optional<BucketName> bucket,
            Mono<T> once,
            Duration deadline,
            Predicate<BackendException> repeatable,
            boolean hedged) {
        this(bucket, once, deadline, repeatable, hedged, Optional.empty(), false);
    }

    /** Returns a copy whose response has a stream. */
    GuardedCall<T> streaming(BiFunction<T, Runnable, T> ending) {
        return new GuardedCall<>(bucket, once, deadline, repeatable, hedged, Optional.of(ending), isUpload);
    }

    /**
     * Returns a call that streams a body to the backend. It has no deadline, because its sender takes what time it
     * likes.
     */
    static <T> GuardedCall<T> upload(BucketName bucket, Mono<T> once, Predicate<BackendException> repeatable) {
        return new GuardedCall<>(Optional.of(bucket), once, Duration.ZERO, repeatable, false, Optional.empty(), true);
    }

    /** Returns a copy that records its tries. */
    GuardedCall<T> recording(SentTries tries) {
        Mono<T> recorded = once.doOnSubscribe(sent -> tries.sent()).doOnError(tries::failed);
        return new GuardedCall<>(bucket, recorded, deadline, repeatable, hedged, streaming, isUpload);
    }
}
