package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The detector of rejected credentials behind failures of HEAD requests: asks by a ListBuckets request. A response to a
 * HEAD has no body, so wrong credentials look like a missing permission (403), a bad request (400, Amazon's response to
 * an expired token) or a missing object (404, versitygw's response to an unknown access key). An error of ListBuckets
 * has a code. Sends it at most every {@link #CACHE_TIME}. Thread-safe.
 */
final class CredentialsRejectionDetector {
    /** Long enough that many denied HEADs cost few requests, short enough to notice new credentials soon. */
    static final Duration CACHE_TIME = Duration.ofSeconds(30);

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The rejection; empty if the credentials are accepted, or it is unknown. */
    private final Mono<Optional<BackendException>> rejection;

    private volatile boolean accepted;

    /** @param buckets lists buckets, and fails as that request does */
    CredentialsRejectionDetector(Mono<?> buckets) {
        rejection = Mono.defer(() -> buckets.timeout(TIMEOUT))
                .doOnSuccess(response -> accepted = true)
                .then(Mono.just(Optional.<BackendException>empty()))
                .onErrorResume(failure -> Mono.just(rejection(failure)))
                .cache(CACHE_TIME);
    }

    /** Returns the outcome of a HEAD; replaces its failure by the rejection of the credentials if that is the cause. */
    <T> Mono<T> explainHeadFailure(Mono<T> head) {
        return head.doOnNext(response -> accepted = true)
                .onErrorResume(
                        BackendException.class,
                        failure -> isAmbiguous(failure)
                                ? rejection.flatMap(found -> Mono.error(found.orElse(failure)))
                                : Mono.error(failure));
    }

    /**
     * Returns the outcome of a request whose errors have a code; remembers from it whether the credentials are still
     * accepted.
     */
    <T> Mono<T> trackRejection(Mono<T> request) {
        return request.doOnError(this::rejection);
    }

    private boolean isAmbiguous(BackendException failure) {
        return switch (failure.kind()) {
            case ACCESS_DENIED -> true;
            case INVALID_REQUEST -> failure.s3Error().isEmpty();
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET -> !accepted;
            default -> false;
        };
    }

    private Optional<BackendException> rejection(Throwable failure) {
        if (!(failure instanceof BackendException rejected)) {
            return Optional.empty();
        }
        if (rejected.kind() == FailureKind.CREDENTIALS_REJECTED) {
            accepted = false;
            return Optional.of(rejected);
        }
        accepted |= rejected.kind() == FailureKind.ACCESS_DENIED;
        return Optional.empty();
    }
}
