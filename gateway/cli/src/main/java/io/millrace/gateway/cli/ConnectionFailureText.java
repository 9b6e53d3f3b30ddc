package io.millrace.gateway.cli;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Words for people for the failure of a connection to a server; Java says it with the names of classes. */
final class ConnectionFailureText {
    private ConnectionFailureText() {}

    /** Returns the reason, as text between brackets. */
    static String of(IOException failure) {
        if (failure instanceof UnknownHostException) {
            return "no such host";
        }
        if (failure instanceof SocketTimeoutException) {
            return "timeout";
        }
        String message = String.valueOf(failure.getMessage());
        return failure.getMessage() == null || message.isBlank()
                ? "no reason is known"
                : TerminalEscaper.escape(message);
    }

    /** Returns why TLS failed and what to do, as the end of a sentence and further ones. */
    static String ofTls(SSLException failure) {
        if (has(failure, CertificateExpiredException.class) || has(failure, CertificateNotYetValidException.class)) {
            return "its certificate is not valid at this time. Renew it there, or correct the clock here.";
        }
        if (has(failure, CertPathBuilderException.class)) {
            return "no authority that is trusted here has issued its certificate. Name a file with that authority by"
                    + " --ca-bundle or AWS_CA_BUNDLE; of serve --self-signed it is tls/certificate.pem in the data"
                    + " folder.";
        }
        if (has(failure, CertificateException.class)) {
            return "its certificate is not for this host (%s). Write a host that it names into the URL."
                    .formatted(of(failure));
        }
        String reason = of(failure);
        if (reason.contains("alert")) {
            return ("it refused the connection (%s). If it wants a client certificate, set --client-cert and"
                            + " --client-key.")
                    .formatted(reason);
        }
        return "%s. If it serves plain HTTP, write http://.".formatted(reason);
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> type) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(type::isInstance);
    }
}
