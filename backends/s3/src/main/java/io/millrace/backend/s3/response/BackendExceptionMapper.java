package io.millrace.backend.s3.response;

import io.millrace.backend.http.xml.XmlException;
import io.millrace.backend.s3.request.S3Endpoint;
import io.millrace.backend.s3.response.ErrorContext.Purpose;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.client.PrematureCloseException;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException;
import reactor.netty.internal.shaded.reactor.pool.PoolShutdownException;

/** Maps failed requests to {@link BackendException}s whose messages name the backend, the request and the reason. */
public final class BackendExceptionMapper {
    /** The most causes to follow: more than any library wraps, and a bound for cycles. */
    private static final int DEPTH = 12;

    private final S3Endpoint origin;

    public BackendExceptionMapper(S3Endpoint origin) {
        this.origin = origin;
    }

    /** Maps a failure of a request before its response headers were accepted. */
    public BackendException map(ErrorContext context, Throwable failure) {
        BackendException mapped = find(failure, BackendException.class);
        if (mapped != null) {
            return withContext(context, mapped);
        }
        ErrorResponseException refused = find(failure, ErrorResponseException.class);
        if (refused != null) {
            return withContext(
                    context, S3ErrorResponse.of(refused, context, origin).toException(context));
        }
        XmlException unreadable = find(failure, XmlException.class);
        return withContext(
                context,
                unreadable == null
                        ? ofTransport(failure, context)
                        : new BackendException(
                                FailureKind.INVALID_RESPONSE,
                                "the response cannot be parsed: " + unreadable.getMessage()));
    }

    /** Reads a response that has arrived; maps the failure if it cannot be read. */
    public <T> Mono<T> read(ErrorContext context, Supplier<T> reading) {
        return Mono.fromSupplier(reading).onErrorMap(failure -> map(context, failure));
    }

    /** Maps a failure in the middle of a response body: a timeout is UNAVAILABLE, all else INVALID_RESPONSE. */
    public BackendException mapBodyFailure(ErrorContext context, Throwable failure) {
        TimeoutException late = find(failure, TimeoutException.class);
        FailureKind kind = late == null ? FailureKind.INVALID_RESPONSE : FailureKind.UNAVAILABLE;
        return withContext(context, new BackendException(kind, reason(failure)));
    }

    private BackendException ofTransport(Throwable failure, ErrorContext context) {
        String reason = reason(failure);
        if (has(failure, UnknownHostException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "unknown host: " + reason);
        }
        if (has(failure, PoolAcquireTimeoutException.class) || has(failure, PoolAcquirePendingLimitException.class)) {
            return new BackendException(
                    FailureKind.UNAVAILABLE, "all connections stayed in use; raise max-connections, or lower the load");
        }
        if (has(failure, NotSslRecordException.class)) {
            return new BackendException(
                    FailureKind.UNAVAILABLE,
                    "the server does not speak TLS at this port: write http:// in endpoint, or its port for TLS");
        }
        if (has(failure, SSLException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "TLS failed: " + reason);
        }
        if (has(failure, ConnectException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "no connection: " + reason);
        }
        if (has(failure, IOException.class) || has(failure, TimeoutException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, reason + unknownOutcome(context));
        }
        if (has(failure, CancellationException.class) || has(failure, PoolShutdownException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "the backend is closed" + unknownOutcome(context));
        }
        return new BackendException(FailureKind.UNEXPECTED, reason, failure);
    }

    /** Returns a hint that the outcome is unknown, for a write whose request may have reached the server. */
    private static String unknownOutcome(ErrorContext context) {
        return context.purpose() == Purpose.READ ? "" : "; the outcome is unknown: the server may have done it";
    }

    private BackendException withContext(ErrorContext context, BackendException failure) {
        String message = "%s: %s: %s".formatted(origin, context.description(), ErrorContext.printable(text(failure)));
        Throwable cause = failure.getCause();
        BackendException placed = cause == null
                ? new BackendException(failure.kind(), message)
                : new BackendException(failure.kind(), message, cause);
        BackendException headed = placed.withHeaders(failure.headers());
        BackendException sized = failure.objectSize().isPresent()
                ? headed.withObjectSize(failure.objectSize().getAsLong())
                : headed;
        return failure.s3Error().map(sized::withS3Error).orElse(sized);
    }

    /** Returns the innermost message: the outer ones say how it was passed on. */
    private static String reason(Throwable failure) {
        Throwable innermost = failure;
        for (int i = 0; i < DEPTH && innermost.getCause() != null; i++) {
            innermost = innermost.getCause();
        }
        if (has(failure, PrematureCloseException.class) || innermost instanceof AbortedException) {
            return "the server closed the connection";
        }
        return text(innermost);
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isEmpty() ? failure.getClass().getSimpleName() : message;
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> type) {
        return find(failure, type) != null;
    }

    private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
        Throwable cause = failure;
        for (int i = 0; i < DEPTH && cause != null; i++) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
            cause = cause.getCause();
        }
        return null;
    }
}
