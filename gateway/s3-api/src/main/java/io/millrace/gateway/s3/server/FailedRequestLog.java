package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.BackendException;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logger of failed requests, with their ids and what is not secret of them. */
final class FailedRequestLog {
    private static final Logger log = LoggerFactory.getLogger(FailedRequestLog.class);

    private FailedRequestLog() {}

    /** Logs a failure that nobody expected. */
    static void unexpected(ReceivedRequest request, Throwable failure) {
        log.error("Request {} failed unexpectedly: {}", request.requestId(), describe(request), failure);
    }

    /**
     * Logs a backend's failure: failing backends and rejected credentials as warnings, normal errors such as an absent
     * key for debugging.
     */
    static void failed(ReceivedRequest request, BackendException failure) {
        if (isWarnedOf(failure)) {
            log.debug("Request {}: {}", request.requestId(), words(failure));
            return;
        }
        switch (failure.kind()) {
            case ACCESS_DENIED,
                    CREDENTIALS_REJECTED,
                    CREDENTIALS_UNAVAILABLE,
                    UNAVAILABLE,
                    THROTTLED,
                    BUSY,
                    INVALID_RESPONSE,
                    VERSION_CHANGED -> log.warn("Request {}: {}", request.requestId(), words(failure));
            case UNEXPECTED -> unexpected(request, failure);
            default -> log.debug("Request {}: {}", request.requestId(), words(failure));
        }
    }

    /** Logs why a response broke off or could not be sent, unless its client left. */
    static void broken(ReceivedRequest request, Throwable failure) {
        if (failure instanceof BackendException broken && !isWarnedOf(broken)) {
            log.warn("Request {}: the response broke off: {}", request.requestId(), words(broken));
        } else if (!(failure instanceof ClientDisconnectedException)) {
            log.debug("Request {}: the response could not be sent", request.requestId(), failure);
        }
    }

    /** Returns whether the caller of the backend has already logged a warning for all requests with this failure. */
    private static boolean isWarnedOf(BackendException failure) {
        return failure.backend().isPresent() && failure.kind() != BackendException.FailureKind.VERSION_CHANGED;
    }

    /** Returns the message, escaped because it may hold a key that forges a log line. */
    private static String words(BackendException failure) {
        return LogSanitizer.escape(String.valueOf(failure.getMessage()));
    }

    private static String describe(ReceivedRequest request) {
        String target = request.rawTarget();
        int query = target.indexOf('?'); // a query may hold a signature
        return LogSanitizer.escape(request.method() + " " + (query < 0 ? target : target.substring(0, query)));
    }
}
