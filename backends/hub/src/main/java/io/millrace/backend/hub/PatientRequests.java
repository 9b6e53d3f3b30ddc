package io.millrace.backend.hub;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.SingleFlight;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import reactor.core.publisher.Mono;

/**
 * Requests of many pages, one at a time for each key, that go on after their callers have given up. A caller waits for
 * less than the usual deadline and is then told to ask again; a result that came too late for all waits a minute for
 * those who do. Thread-safe.
 *
 * @param <K> what is requested
 * @param <V> the result
 */
final class PatientRequests<K, V> {
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private final SingleFlight<K, V> requests = new SingleFlight<>();
    private final Cache<K, V> late;
    private final Duration patience;

    /**
     * @param patience how long a caller waits
     * @param bytes the size of a result
     * @param maxBytes the most bytes of results that came too late
     */
    PatientRequests(Duration patience, ToIntFunction<V> bytes, long maxBytes) {
        this.patience = patience;
        this.late = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((K key, V result) -> bytes.applyAsInt(result))
                .expireAfterWrite(REMEMBERED)
                .build();
    }

    /**
     * Returns the result of the running request for the key, or sends one; fails with {@link FailureKind#BUSY} if it
     * takes long.
     *
     * @param what names the result in the message
     */
    Mono<V> join(K key, String what, Supplier<Mono<V>> request) {
        return requests.joinUnlessKnown(key, () -> late.getIfPresent(key), () -> timed(key, request))
                .timeout(patience, Mono.error(() -> notYet(what)));
    }

    private Mono<V> timed(K key, Supplier<Mono<V>> request) {
        return Mono.defer(request).elapsed().map(timed -> {
            if (timed.getT1() >= patience.toMillis()) {
                late.put(key, timed.getT2());
            }
            return timed.getT2();
        });
    }

    private static BackendException notYet(String what) {
        return new BackendException(FailureKind.BUSY, what + " has many pages and is still being read; ask again")
                .withRetryAfter(Duration.ofSeconds(1));
    }
}
