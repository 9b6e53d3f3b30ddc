package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A request of the gateway's own that tells whether a backend works, whatever clients ask of it: a probe of a bucket,
 * which every backend sends to its server. It asks for the bucket of the last response, because one that a client
 * names may be one that the backend cannot bear; before the first response, for that of the last failure. Any answer
 * will do, such as a refusal. Thread-safe.
 */
final class BucketProbe {
    private final BucketManager backend;
    private volatile @Nullable BucketName answered;
    private volatile @Nullable BucketName failed;

    BucketProbe(BucketManager backend) {
        this.backend = backend;
    }

    /** Remembers the bucket of a response; one that is none, but an error, may never have left the gateway. */
    void answered(Optional<BucketName> bucket) {
        if (bucket.isPresent() && !bucket.get().equals(answered)) {
            answered = bucket.get();
        }
    }

    /** Remembers the bucket of a failure of the backend. */
    void failed(Optional<BucketName> bucket) {
        bucket.ifPresent(named -> failed = named);
    }

    /** Asks the backend at subscription. Empty if the gateway itself could not ask. */
    Mono<Boolean> works() {
        return Mono.defer(this::ask)
                .thenReturn(true)
                .onErrorResume(failure -> failure instanceof BackendException known
                        ? Mono.justOrEmpty(answers(known.kind()))
                        : Mono.empty());
    }

    private Mono<?> ask() {
        @Nullable BucketName bucket = answered;
        if (bucket == null) {
            bucket = failed;
        }
        return backend.probe(Optional.ofNullable(bucket));
    }

    private static Optional<Boolean> answers(FailureKind kind) {
        return switch (kind) {
            case UNAVAILABLE, CREDENTIALS_UNAVAILABLE, THROTTLED -> Optional.of(false);
            case BUSY -> Optional.empty();
            default -> Optional.of(true);
        };
    }
}
