package io.millrace.gateway.jobs.fetch;

import java.time.Duration;
import java.util.Optional;

/** What a URL names could not be had; the message says why, in words for its user, and never tells a query. */
public final class FetchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean passing;
    private final transient Optional<Duration> pause;

    private FetchException(String message, boolean passing, Optional<Duration> pause) {
        super(message, null, false, false);
        this.passing = passing;
        this.pause = pause;
    }

    /** Another try may help. */
    public static FetchException passing(String message) {
        return new FetchException(message, true, Optional.empty());
    }

    /** Another try may help after a time that the server told. */
    static FetchException passing(String message, Optional<Duration> pause) {
        return new FetchException(message, true, pause);
    }

    /** Another try would end like this one. */
    public static FetchException lasting(String message) {
        return new FetchException(message, false, Optional.empty());
    }

    /** Whether another try may help. */
    public boolean isPassing() {
        return passing;
    }

    /** How long the server asks to be left alone. */
    public Optional<Duration> pause() {
        return pause;
    }
}
