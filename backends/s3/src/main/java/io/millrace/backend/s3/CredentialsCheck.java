package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import java.time.Duration;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Finds out whether the server rejects the backend's credentials where its answer cannot say so: an answer to a HEAD has no body,
 * and so a wrong key looks like a missing right (403), a bad request (400, as Amazon answers an expired token) or a missing object
 * (404, as versitygw answers an unknown key). It asks for a list of buckets, whose error has a code, at most every
 * {@link #REMEMBERED}. Safe for use by any number of threads.
 */
final class CredentialsCheck {
    /** Long enough that a bucket full of forbidden keys costs next to nothing, short enough to notice a new key soon. */
    static final Duration REMEMBERED = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The rejection; empty if the credentials are accepted, or nobody knows. */
    private final Mono<Optional<BackendException>> rejection;

    private volatile boolean accepted;

    /** @param buckets asks for a list of buckets, and fails as that does */
    CredentialsCheck(Mono<?> buckets) {
        rejection = Mono.defer(() -> buckets.timeout(PATIENCE))
                .doOnSuccess(answer -> accepted = true)
                .then(Mono.just(Optional.<BackendException>empty()))
                .onErrorResume(failure -> Mono.just(rejection(failure)))
                .cache(REMEMBERED);
    }

    /** The outcome of a HEAD, whose failure is replaced by the rejection of the credentials if that is its cause. */
    <T> Mono<T> explained(Mono<T> head) {
        return head.doOnNext(answer -> accepted = true)
                .onErrorResume(
                        BackendException.class,
                        failure -> isSilent(failure)
                                ? rejection.flatMap(found -> Mono.error(found.orElse(failure)))
                                : Mono.error(failure));
    }

    /** The outcome of a request whose errors have a code, and tell when credentials that were accepted no longer are. */
    <T> Mono<T> watched(Mono<T> request) {
        return request.doOnError(this::rejection);
    }

    private boolean isSilent(BackendException failure) {
        return switch (failure.kind()) {
            case ACCESS_DENIED -> true;
            case INVALID_REQUEST -> failure.words().isEmpty();
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET -> !accepted;
            default -> false;
        };
    }

    private Optional<BackendException> rejection(Throwable failure) {
        if (!(failure instanceof BackendException known)) {
            return Optional.empty();
        }
        if (known.kind() == Kind.CREDENTIALS_REJECTED) {
            accepted = false;
            return Optional.of(known);
        }
        accepted |= known.kind() == Kind.ACCESS_DENIED;
        return Optional.empty();
    }
}
