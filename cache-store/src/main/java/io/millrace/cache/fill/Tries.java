package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.Pages;
import java.time.Duration;
import java.util.Optional;

/**
 * Whether a request that broke off is sent again from that byte on, and when. As long as tries bring a page each, there is no end
 * of them: a far line that breaks often still gets a large object through, at one request a page at worst. Tries that bring less
 * are poor; {@link #MOST_POOR} in a row are the end, and so are {@link #MOST_EMPTY} in a row that bring nothing. Each poor one
 * doubles the pause before the next, from 0.2 to 1.6 s: so a server that cuts whatever it sends costs a few requests and 8 s,
 * not a request for each little piece. Used by one thread at a time.
 */
final class Tries {
    /** A try that brings this much is as good as new. */
    static final int FRUITFUL = Pages.SIZE;

    static final int MOST_POOR = 8;
    static final int MOST_EMPTY = 3;

    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_DOUBLINGS = 4;

    private long brought;
    private int poor;
    private int empty;

    /** A request is sent. */
    void begin() {
        brought = 0;
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
        return isFinal(failure) || poor >= MOST_POOR || empty >= MOST_EMPTY
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(PAUSE_MILLIS << Math.min(poor, MOST_DOUBLINGS)));
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
