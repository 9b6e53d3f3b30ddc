package io.millrace.loadgen.client;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Describes failures of connections in the words of a user. */
public final class FailureText {
    private FailureText() {}

    /** Returns a description of {@code failure} that is the same for all failures of its kind. */
    public static String of(Throwable failure) {
        if (failure instanceof UnknownHostException) {
            return "unknown host: " + failure.getMessage();
        }
        if (failure instanceof ConnectException) {
            return "connection refused or not answered";
        }
        if (failure instanceof ClosedChannelException) {
            return "connection closed before the end of the response";
        }
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof SSLException || failure.getCause() instanceof SSLException) {
            return isUntrusted(failure)
                    ? "the certificate is not trusted: name its authority with --ca-bundle or AWS_CA_BUNDLE"
                    : "TLS failed: " + message;
        }
        return message.contains("Connection reset") ? "connection reset" : message;
    }

    /** BoringSSL says it in a cause of the cause. */
    private static boolean isUntrusted(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> String.valueOf(cause.getMessage()).contains("PKIX path"));
    }
}
