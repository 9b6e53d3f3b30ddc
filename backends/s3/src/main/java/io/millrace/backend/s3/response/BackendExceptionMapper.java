package io.millrace.backend.s3.response;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.s3.request.S3Endpoint;
import io.millrace.backend.s3.response.ErrorResponseContext.Purpose;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.xml.XmlException;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Maps failed requests to {@link BackendException}s whose messages name the backend, the request and the reason. */
public final class BackendExceptionMapper {
    private final S3Endpoint origin;

    public BackendExceptionMapper(S3Endpoint origin) {
        this.origin = origin;
    }

    /** Maps a failure of a request before its response headers were accepted. */
    public BackendException map(ErrorResponseContext context, Throwable failure) {
        BackendException mapped = TransportFailures.find(failure, BackendException.class);
        if (mapped != null) {
            return withContext(context, mapped);
        }
        ErrorResponseException refused = TransportFailures.find(failure, ErrorResponseException.class);
        if (refused != null) {
            return withContext(
                    context, S3ErrorResponse.of(refused, context, origin).toException(context));
        }
        XmlException unreadable = TransportFailures.find(failure, XmlException.class);
        return withContext(
                context,
                unreadable == null
                        ? TransportFailures.of(failure, context.purpose() != Purpose.READ)
                        : new BackendException(
                                FailureKind.INVALID_RESPONSE,
                                "the response cannot be parsed: " + unreadable.getMessage()));
    }

    /** Reads a response that has arrived; maps the failure if it cannot be read. */
    public <T> Mono<T> read(ErrorResponseContext context, Supplier<T> reading) {
        return Mono.fromSupplier(reading).onErrorMap(failure -> map(context, failure));
    }

    /** Maps a failure in the middle of a response body: a timeout is UNAVAILABLE, all else INVALID_RESPONSE. */
    public BackendException mapBodyFailure(ErrorResponseContext context, Throwable failure) {
        return withContext(context, TransportFailures.ofBody(failure));
    }

    private BackendException withContext(ErrorResponseContext context, BackendException failure) {
        String message = "%s: %s: %s"
                .formatted(origin, context.description(), PrintableText.of(String.valueOf(failure.getMessage())));
        return failure.withMessage(message);
    }
}
