package io.millrace.gateway.jobs;

import java.time.Duration;
import java.util.Optional;

/** Thrown if a URL cannot be downloaded; the message gives the cause for the user and never contains a query. */
final class FetchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean passing;
    private final transient Optional<Duration> pause;

    private FetchException(String message, boolean passing, Optional<Duration> pause) {
        super(message, null, false, false);
        this.passing = passing;
        this.pause = pause;
    }

    /** Creates a failure that a retry may cure. */
    static FetchException passing(String message) {
        return new FetchException(message, true, Optional.empty());
    }

    /** Creates a failure that a retry may cure after a delay that the server requests. */
    static FetchException passing(String message, Optional<Duration> pause) {
        return new FetchException(message, true, pause);
    }

    /** Creates a permanent failure. */
    static FetchException lasting(String message) {
        return new FetchException(message, false, Optional.empty());
    }

    /** Returns true if a retry may help. */
    boolean isPassing() {
        return passing;
    }

    /** Returns the delay that the server requests. */
    Optional<Duration> pause() {
        return pause;
    }
}
