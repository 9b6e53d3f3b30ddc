package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.Pages;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether a request that broke off is sent again from that byte on, and when. As long as tries bring a page each, there is no end
 * of them: a far line that breaks often still gets a large object through, at one request a page at worst. Tries that bring less
 * are poor; {@link #MOST_POOR} in a row are the end, and so are {@link #MOST_EMPTY} in a row that bring nothing, or fewer if those have
 * taken {@link #LONGEST_SILENCE}: who reads has waited enough for a server that hangs. Each poor one
 * doubles the pause before the next, from 0.2 to 1.6 s: so a server that cuts whatever it sends costs a few requests and 8 s,
 * not a request for each little piece. Used by one thread at a time.
 */
final class Tries {
    /** A try that brings this much is as good as new. */
    static final int FRUITFUL = Pages.SIZE;

    static final int MOST_POOR = 8;
    static final int MOST_EMPTY = 3;

    static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_DOUBLINGS = 4;

    private final LongSupplier nanoTime;
    private long brought;
    private long silentSince;
    private int poor;
    private int empty;

    Tries() {
        this(System::nanoTime);
    }

    Tries(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.silentSince = nanoTime.getAsLong();
    }

    /** A request is sent. */
    void begin() {
        brought = 0;
        if (empty == 0) {
            silentSince = nanoTime.getAsLong();
        }
    }

    /** Its answer brought so many bytes more. */
    void bring(int bytes) {
        brought += bytes;
    }

    /**
     * Its answer broke off, or there is none.
     *
     * @return how long to wait before the next try; none if that would be of no use
     */
    Optional<Duration> breakOff(Throwable failure) {
        poor = brought >= FRUITFUL ? 0 : poor + 1;
        empty = brought > 0 ? 0 : empty + 1;
        return isFinal(failure) || poor >= MOST_POOR || empty >= MOST_EMPTY || hasBeenSilent()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(PAUSE_MILLIS << Math.min(poor, MOST_DOUBLINGS)));
    }

    private boolean hasBeenSilent() {
        return empty > 0 && nanoTime.getAsLong() - silentSince >= LONGEST_SILENCE.toNanos();
    }

    /** Whether another try would bring the same. */
    private static boolean isFinal(Throwable failure) {
        if (!(failure instanceof BackendException known)) {
            return true;
        }
        return switch (known.kind()) {
            case BROKEN_ANSWER, UNAVAILABLE, THROTTLED -> false;
            default -> true;
        };
    }
}
