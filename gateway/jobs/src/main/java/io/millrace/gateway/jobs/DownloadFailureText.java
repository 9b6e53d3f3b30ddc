package io.millrace.gateway.jobs;

import io.millrace.backend.http.ForbiddenAddressException;
import io.millrace.backend.http.TransportReason;
import io.millrace.backend.http.WebUrl;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import reactor.netty.http.client.PrematureCloseException;

/** Describes to users why a URL cannot be downloaded. */
final class DownloadFailureText {
    private DownloadFailureText() {}

    static FetchException explained(WebUrl url, Throwable failure) {
        if (failure instanceof FetchException fetch) {
            return fetch;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ForbiddenAddressException closed) {
                return FetchException.lasting(String.valueOf(closed.getMessage()));
            }
        }
        return FetchException.passing("%s: %s".formatted(url.authority(), text(failure)));
    }

    private static String text(Throwable failure) {
        if (failure instanceof UnknownHostException) {
            return "there is no such host: " + failure.getMessage();
        }
        if (failure instanceof PrematureCloseException) {
            return "the connection broke off";
        }
        String reason = TransportReason.of(failure);
        return failure instanceof SSLException ? "TLS failed: " + reason : reason;
    }
}
