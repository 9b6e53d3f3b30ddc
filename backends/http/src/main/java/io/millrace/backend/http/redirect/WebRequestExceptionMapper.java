package io.millrace.backend.http.redirect;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.http.address.ForbiddenAddressException;
import io.millrace.backend.http.url.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;

/** Maps failures of requests to {@link BackendException}s whose messages name the backend, the request and the reason. */
public record WebRequestExceptionMapper(String backend, WebUrl url) {
    /**
     * Maps a failure before the response headers were accepted.
     *
     * @param request names the request in the message
     */
    public BackendException map(String request, Throwable failure) {
        BackendException mapped = TransportFailures.find(failure, BackendException.class);
        if (mapped != null) {
            return named(request, mapped);
        }
        ForbiddenAddressException forbidden = TransportFailures.find(failure, ForbiddenAddressException.class);
        return named(
                request,
                forbidden == null
                        ? TransportFailures.of(failure, false)
                        : new BackendException(
                                FailureKind.ACCESS_DENIED, "it redirects, and " + forbidden.getMessage()));
    }

    /** Maps a failure in the middle of a response body. */
    public BackendException mapBodyFailure(String request, Throwable failure) {
        return named(request, TransportFailures.ofBody(failure));
    }

    private BackendException named(String request, BackendException failure) {
        String text = "%s (%s): %s: %s".formatted(backend, url.withoutQuery(), request, failure.getMessage());
        return failure.withMessage(PrintableText.of(text));
    }
}
