package io.millrace.backend.s3;

import io.millrace.backend.http.RequestFailureMapper;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.s3.ErrorResponseContext.Purpose;
import io.millrace.backend.spi.BackendException;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Maps failed requests to {@link BackendException}s whose messages name the backend, the request and the reason. */
final class BackendExceptionMapper {
    private final S3Endpoint origin;
    private final RequestFailureMapper failures;

    BackendExceptionMapper(S3Endpoint origin) {
        this.origin = origin;
        this.failures = new RequestFailureMapper(origin.toString());
    }

    /** Maps a failure of a request before its response headers were accepted. */
    BackendException map(ErrorResponseContext context, Throwable failure) {
        ErrorResponseException refused = TransportFailures.find(failure, ErrorResponseException.class);
        return refused == null
                ? failures.map(context.description(), context.purpose() != Purpose.READ, failure)
                : failures.named(
                        context.description(),
                        S3ErrorResponse.of(refused, context, origin).toException(context));
    }

    /** Reads a response that has arrived; maps the failure if it cannot be read. */
    <T> Mono<T> read(ErrorResponseContext context, Supplier<T> reading) {
        return Mono.fromSupplier(reading).onErrorMap(failure -> map(context, failure));
    }

    /** Maps a failure in the middle of a response body: a timeout is UNAVAILABLE, all else INVALID_RESPONSE. */
    BackendException mapBodyFailure(ErrorResponseContext context, Throwable failure) {
        return failures.mapBody(context.description(), failure);
    }
}
