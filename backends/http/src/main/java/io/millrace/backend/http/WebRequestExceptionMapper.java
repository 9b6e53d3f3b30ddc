package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;

/**
 * Maps failures of requests to {@link BackendException}s whose messages name the backend, the request and the reason.
 */
public record WebRequestExceptionMapper(String backend, WebUrl url) {
    /**
     * Maps a failure before the response headers were accepted.
     *
     * @param request names the request in the message
     */
    public BackendException map(String request, Throwable failure) {
        ForbiddenAddressException forbidden = TransportFailures.find(failure, ForbiddenAddressException.class);
        return forbidden == null
                ? failures().map(request, false, failure)
                : failures()
                        .named(
                                request,
                                new BackendException(
                                        FailureKind.ACCESS_DENIED, "it redirects, and " + forbidden.getMessage()));
    }

    /** Maps a failure in the middle of a response body. */
    public BackendException mapBodyFailure(String request, Throwable failure) {
        return failures().mapBody(request, failure);
    }

    private RequestFailureMapper failures() {
        return new RequestFailureMapper("backend '%s' (%s)".formatted(backend, url.withoutQuery()));
    }
}
