package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;

/**
 * Maps the HTTP error status of a server of files to the exception that the backend fails with.
 *
 * @param unauthorized what to do about a 401
 * @param forbidden what to do about a 403
 */
public record ErrorStatusMapper(String unauthorized, String forbidden) {
    /** Returns the failure that a response other than a success means. */
    public BackendException failure(int status, HeaderList fields) {
        return RetryAfter.addTo(new BackendException(kind(status), status + remedy(status)), fields);
    }

    /** Returns the kind of failure that a status other than a success means. */
    public static FailureKind kind(int status) {
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

    private String remedy(int status) {
        return switch (status) {
            case 401 -> "; " + unauthorized;
            case 403 -> "; " + forbidden;
            default -> "";
        };
    }
}
