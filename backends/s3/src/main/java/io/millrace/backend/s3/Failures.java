package io.millrace.backend.s3;

import io.millrace.backend.s3.Asked.Purpose;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.client.PrematureCloseException;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException;
import reactor.netty.internal.shaded.reactor.pool.PoolShutdownException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/** Turns what went wrong into a {@link BackendException} that names the backend, what was asked, and the reason. */
final class Failures {
    /** A cause's cause's cause …: more than the SDK ever wraps, and an end if a cause is its own. */
    private static final int DEPTH = 12;

    private final Origin origin;

    Failures(Origin origin) {
        this.origin = origin;
    }

    /** Why there is no usable head. */
    BackendException of(Asked asked, Throwable failure) {
        BackendException known = find(failure, BackendException.class);
        if (known != null) {
            return placed(asked, known);
        }
        RefusedException refused = find(failure, RefusedException.class);
        if (refused != null) {
            return placed(asked, ErrorAnswer.of(refused, asked, origin).asExceptionFor(asked));
        }
        AwsServiceException refusal = find(failure, AwsServiceException.class);
        if (refusal != null) {
            return placed(asked, ErrorAnswer.of(refusal, asked, origin).asExceptionFor(asked));
        }
        return placed(asked, local(failure, asked));
    }

    /** What is read of an answer that has come, or why it cannot be read. */
    <T> Mono<T> placing(Asked asked, Supplier<T> reading) {
        return Mono.fromSupplier(reading).onErrorMap(failure -> of(asked, failure));
    }

    /** Why a body broke off, or was of another length. A silent server is in trouble, all else has cut the answer. */
    BackendException inBody(Asked asked, Throwable failure) {
        TimeoutException late = find(failure, TimeoutException.class);
        Kind kind = late == null ? Kind.BROKEN_ANSWER : Kind.UNAVAILABLE;
        return placed(asked, new BackendException(kind, reason(failure)));
    }

    private BackendException local(Throwable failure, Asked asked) {
        String reason = reason(failure);
        if (has(failure, UnknownHostException.class)) {
            return new BackendException(Kind.UNAVAILABLE, "the host's name is not known: " + reason);
        }
        if (has(failure, PoolAcquireTimeoutException.class) || has(failure, PoolAcquirePendingLimitException.class)) {
            return new BackendException(
                    Kind.UNAVAILABLE, "no connection became free; max-connections says how many there may be");
        }
        if (has(failure, NotSslRecordException.class)) {
            return new BackendException(
                    Kind.UNAVAILABLE,
                    "the server does not speak TLS at this port: write http:// in endpoint, or its port for TLS");
        }
        if (has(failure, SSLException.class)) {
            return new BackendException(Kind.UNAVAILABLE, "TLS failed: " + reason);
        }
        if (has(failure, ConnectException.class)) {
            return new BackendException(Kind.UNAVAILABLE, "no connection: " + reason);
        }
        if (has(failure, IOException.class) || has(failure, TimeoutException.class)) {
            return new BackendException(Kind.UNAVAILABLE, reason + open(asked));
        }
        if (has(failure, CancellationException.class) || has(failure, PoolShutdownException.class)) {
            return new BackendException(Kind.UNAVAILABLE, "the backend is closed" + open(asked));
        }
        return ofClient(failure, reason);
    }

    /** What goes for a change of something whose request may have come to the server. */
    private static String open(Asked asked) {
        return asked.purpose() == Purpose.READ ? "" : "; whether the server has done it is open";
    }

    private static BackendException ofClient(Throwable failure, String reason) {
        boolean unreadable = says(failure, "Unable to unmarshall")
                || says(failure, "Could not parse")
                || says(failure, "URLDecoder");
        if (unreadable) {
            return new BackendException(Kind.BROKEN_ANSWER, "the answer cannot be read: " + reason);
        }
        return new BackendException(Kind.UNEXPECTED, reason, failure);
    }

    private BackendException placed(Asked asked, BackendException failure) {
        String message = "%s: %s: %s".formatted(origin, asked.text(), Asked.printable(text(failure)));
        Throwable cause = failure.getCause();
        BackendException placed = cause == null
                ? new BackendException(failure.kind(), message)
                : new BackendException(failure.kind(), message, cause);
        BackendException headed = placed.withHeaders(failure.headers());
        BackendException sized = failure.size().isPresent()
                ? headed.ofObjectWithSize(failure.size().getAsLong())
                : headed;
        return failure.words().map(sized::inWords).orElse(sized);
    }

    /** The innermost words: the outer ones say "Unable to execute HTTP request" and advice for SDK users. */
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

    private static boolean says(Throwable failure, String words) {
        return first(failure, cause -> text(cause).contains(words)) != null;
    }

    private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
        return type.cast(first(failure, type::isInstance));
    }

    private static @Nullable Throwable first(Throwable failure, Predicate<Throwable> test) {
        Throwable cause = failure;
        for (int i = 0; i < DEPTH && cause != null; i++) {
            if (test.test(cause)) {
                return cause;
            }
            cause = cause.getCause();
        }
        return null;
    }
}
