package io.millrace.backend.web.client;

import io.millrace.backend.http.RetryAfter;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Instant;

/** Maps the HTTP error status of a web server to the exception that the backend fails with. */
public final class ErrorStatusMapper {
    private ErrorStatusMapper() {}

    /** Returns the failure that a response other than a success means. */
    public static BackendException failure(int status, HeaderList fields) {
        BackendException failure = new BackendException(kind(status), status + remedy(status));
        return fields.first("retry-after")
                .flatMap(field -> RetryAfter.parse(field, Instant.now()))
                .map(failure::withRetryAfter)
                .orElse(failure);
    }

    private static FailureKind kind(int status) {
        return switch (status) {
            case 401, 407 -> FailureKind.CREDENTIALS_REJECTED;
            case 403, 451 -> FailureKind.ACCESS_DENIED;
            case 404, 410 -> FailureKind.NO_SUCH_KEY;
            case 405, 501 -> FailureKind.UNSUPPORTED;
            case 429, 503 -> FailureKind.THROTTLED;
            case 408, 425 -> FailureKind.UNAVAILABLE;
            default -> ofClass(status);
        };
    }

    private static FailureKind ofClass(int status) {
        if (status >= 500) {
            return FailureKind.UNAVAILABLE;
        }
        // A 2xx or 3xx that nothing asked for.
        return status >= 400 ? FailureKind.INVALID_REQUEST : FailureKind.INVALID_RESPONSE;
    }

    private static String remedy(int status) {
        return switch (status) {
            case 401 ->
                "; the server asks for credentials or rejects them: set the backend's username and password, or"
                        + " bearer-token";
            case 403 -> "; the server denies this: check its permissions, and the backend's credentials";
            default -> "";
        };
    }
}
