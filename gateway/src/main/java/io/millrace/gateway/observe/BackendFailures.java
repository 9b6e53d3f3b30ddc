package io.millrace.gateway.observe;

import io.millrace.backend.spi.BackendException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Remembers the last failure of each backend. Safe for use by any number of threads. */
public final class BackendFailures {
    private final ConcurrentMap<String, BackendFailure> last = new ConcurrentHashMap<>();

    /** The last one of a backend, since the start. */
    public Optional<BackendFailure> last(String backend) {
        return Optional.ofNullable(last.get(backend));
    }

    void failed(String backend, String operation, Throwable failure) {
        if (isTrouble(failure)) {
            String message = LogText.escape(String.valueOf(failure.getMessage()));
            last.put(backend, new BackendFailure(Instant.now(), operation, message));
        }
    }

    /** Whether the backend is to blame, or its keys, and not what was asked for. */
    static boolean isTrouble(Throwable failure) {
        return !(failure instanceof BackendException known) || isTrouble(known.kind());
    }

    static boolean isTrouble(BackendException.Kind kind) {
        return switch (kind) {
            case UNAVAILABLE, THROTTLED, BROKEN_ANSWER, ACCESS_DENIED, UNEXPECTED -> true;
            default -> false;
        };
    }
}
