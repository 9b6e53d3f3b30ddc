package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException;
import reactor.netty.internal.shaded.reactor.pool.PoolShutdownException;

/**
 * Maps failures of connections, TLS and names to {@link BackendException}s whose messages name the reason but no
 * backend.
 */
public final class TransportFailures {
    private TransportFailures() {}

    /**
     * Maps a failure before the response headers arrived. It is {@linkplain BackendException#isUnprocessed unprocessed}
     * if there was no connection, and {@link FailureKind#BUSY} if that is because all are in use.
     *
     * @param write whether the request may have changed something, so that its outcome is unknown once it was sent
     */
    public static BackendException of(Throwable failure, boolean write) {
        String reason = TransportReason.of(failure);
        String outcome = write ? "; the outcome is unknown: the server may have done it" : "";
        @Nullable ProxyConnectException proxy = find(failure, ProxyConnectException.class);
        if (proxy != null) {
            return new BackendException(FailureKind.UNAVAILABLE, "no tunnel through the proxy: " + proxyReason(proxy))
                    .asUnprocessed();
        }
        @Nullable UnknownHostException unknown = find(failure, UnknownHostException.class);
        if (unknown != null) {
            String silent = reason.contains("timed out") ? "; no name server answers" : "";
            return new BackendException(
                            FailureKind.UNAVAILABLE, "unknown host: " + TransportReason.host(unknown) + silent)
                    .asUnprocessed();
        }
        if (has(failure, PoolAcquireTimeoutException.class) || has(failure, PoolAcquirePendingLimitException.class)) {
            // Of the gateway: the server was not asked, and says nothing by it.
            return new BackendException(
                            FailureKind.BUSY, "all connections stayed in use; raise max-connections, or lower the load")
                    .asUnprocessed();
        }
        if (has(failure, NotSslRecordException.class)) {
            return new BackendException(
                    FailureKind.UNAVAILABLE,
                    "the server does not speak TLS at this port: write http:// in the backend's URL, or its port for"
                            + " TLS");
        }
        if (has(failure, SSLException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "TLS failed: " + tlsReason(failure, reason));
        }
        if (has(failure, ConnectException.class) || has(failure, NoRouteToHostException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "no connection: " + reason).asUnprocessed();
        }
        if (has(failure, IOException.class) || has(failure, TimeoutException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, reason + outcome);
        }
        if (has(failure, CancellationException.class) || has(failure, PoolShutdownException.class)) {
            return new BackendException(FailureKind.UNAVAILABLE, "the backend is closed" + outcome);
        }
        return new BackendException(FailureKind.UNEXPECTED, reason, failure);
    }

    /** Maps a failure in the middle of a response body: a timeout is UNAVAILABLE, all else INVALID_RESPONSE. */
    public static BackendException ofBody(Throwable failure) {
        FailureKind kind =
                has(failure, TimeoutException.class) ? FailureKind.UNAVAILABLE : FailureKind.INVALID_RESPONSE;
        return new BackendException(kind, TransportReason.of(failure));
    }

    /** Returns the first failure of this type in the chain of causes; null if there is none. */
    public static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
        Throwable cause = failure;
        for (int i = 0; i < TransportReason.DEPTH && cause != null; i++) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static String tlsReason(Throwable failure, String reason) {
        if (has(failure, CertificateExpiredException.class) || has(failure, CertificateNotYetValidException.class)) {
            return "the server's certificate is not valid at this time (%s): renew it there, or correct the clock here"
                    .formatted(reason);
        }
        if (has(failure, CertPathBuilderException.class)) {
            return ("no trusted authority has issued the server's certificate (%s): set tls.authorities of the backend"
                                    + " to")
                            .formatted(reason)
                    + " the certificate of its authority";
        }
        if (has(failure, CertificateException.class)) {
            return "the server's certificate is not for this host (%s): write a host that it names".formatted(reason);
        }
        return reason.toLowerCase(Locale.ROOT).contains("alert")
                ? "the server refused the connection (%s): it may require a client certificate, tls.certificate of the"
                                .formatted(reason)
                        + " backend, or one of another authority"
                : reason;
    }

    private static String proxyReason(ProxyConnectException failure) {
        @Nullable Throwable cause = failure.getCause();
        String why = cause == null ? "" : " (%s)".formatted(TransportReason.of(cause));
        String reason = TransportReason.ofOne(failure) + why;
        return reason.contains("status: 407")
                ? reason + "; correct proxy.username and proxy.password of the backend"
                : reason;
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> type) {
        return find(failure, type) != null;
    }
}
