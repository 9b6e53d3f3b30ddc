package io.millrace.backend.resilience;

import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The guard of a service that is no backend: its calls have what {@link ResilientBackend} gives those of one, a
 * deadline, retries, a circuit breaker and a limit of concurrency, all of its own. Thread-safe.
 */
public final class GuardedService {
    private final BackendGuard guard;
    private final ResilienceSettings settings;

    /**
     * @param name the service's name in messages
     * @param probe asks at each subscription whether the service responds; fails as a call would
     * @param maxConnections the most connections to the service
     */
    public GuardedService(String name, Mono<?> probe, ResilienceSettings settings, int maxConnections) {
        this.guard = new BackendGuard(name, new Probe(probe), settings, maxConnections);
        this.settings = settings;
    }

    /**
     * Runs a call at each subscription, until its result or the deadline. It is sent again after a failure that may
     * pass, so it must change nothing when it is repeated.
     */
    public <T> Mono<T> run(Mono<T> call) {
        return guard.run(
                new GuardedCall<>(Optional.empty(), call, settings.deadline(), failure -> true, false), late -> {});
    }

    /** A service without buckets, of which nothing but a probe is asked. */
    private record Probe(Mono<?> request) implements BucketManager {
        @Override
        public Mono<BucketInfo> headBucket(BucketName name) {
            return Mono.error(() -> new IllegalStateException("a service has no buckets"));
        }

        @Override
        public Mono<String> probe(Optional<BucketName> bucket) {
            return request.thenReturn("");
        }
    }
}
