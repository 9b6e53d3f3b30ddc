package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.XmlException;
import org.jspecify.annotations.Nullable;

/**
 * Maps failures of a backend's requests to {@link BackendException}s whose messages name the backend, the request and
 * the reason. What its error responses mean, each protocol says itself.
 *
 * @param backend its name and place in messages
 */
public record RequestFailureMapper(String backend) {
    /**
     * Maps a failure, other than an error response, of a request before its response was read.
     *
     * @param request names the request in the message
     * @param write whether it changes something: if the response is lost, the outcome is unknown
     */
    public BackendException map(String request, boolean write, Throwable failure) {
        @Nullable BackendException mapped = TransportFailures.find(failure, BackendException.class);
        if (mapped != null) {
            return named(request, mapped);
        }
        @Nullable XmlException unreadable = TransportFailures.find(failure, XmlException.class);
        return named(
                request,
                unreadable == null
                        ? TransportFailures.of(failure, write)
                        : new BackendException(
                                FailureKind.INVALID_RESPONSE,
                                "the response cannot be parsed: " + unreadable.getMessage()));
    }

    /** Maps a failure in the middle of a response body: a timeout is UNAVAILABLE, all else INVALID_RESPONSE. */
    public BackendException mapBody(String request, Throwable failure) {
        return named(request, TransportFailures.ofBody(failure));
    }

    /** Returns the failure with backend and request in its message. */
    public BackendException named(String request, BackendException failure) {
        String message = "%s: %s: %s".formatted(backend, request, failure.getMessage());
        return failure.withMessage(PrintableText.of(message));
    }
}
