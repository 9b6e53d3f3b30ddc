package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.segment.ChecksumPages;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether a request that broke off is sent again from that byte on, and when. As long as tries bring a page each, there is no end
 * of them: a far line that breaks often still gets a large object through, at one request a page at worst. Tries that bring less
 * are poor; {@link #MAX_WITHOUT_PROGRESS} in a row are the end, and so are {@link #MAX_EMPTY} in a row that bring nothing, or fewer if those have
 * taken {@link #MAX_SILENCE}: who reads has waited enough for a server that hangs. Each poor one
 * doubles the pause before the next, from 0.2 to 1.6 s: so a server that cuts whatever it sends costs a few requests and 8 s,
 * not a request for each little piece. Used by one thread at a time.
 */
final class FetchRetryPolicy {
    /** A try that brings this much is as good as new. */
    static final int PROGRESS_BYTES = ChecksumPages.SIZE;

    static final int MAX_WITHOUT_PROGRESS = 8;
    static final int MAX_EMPTY = 3;

    static final Duration MAX_SILENCE = Duration.ofSeconds(10);

    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_DOUBLINGS = 4;

    private final LongSupplier nanoTime;
    private long brought;
    private long silentSince;
    private int poor;
    private int empty;

    FetchRetryPolicy() {
        this(System::nanoTime);
    }

    FetchRetryPolicy(LongSupplier nanoTime) {
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
    void received(int bytes) {
        brought += bytes;
    }

    /**
     * Its answer broke off, or there is none.
     *
     * @return how long to wait before the next try; none if that would be of no use
     */
    Optional<Duration> interrupted(Throwable failure) {
        poor = brought >= PROGRESS_BYTES ? 0 : poor + 1;
        empty = brought > 0 ? 0 : empty + 1;
        return isFinal(failure) || poor >= MAX_WITHOUT_PROGRESS || empty >= MAX_EMPTY || hasBeenSilent()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(PAUSE_MILLIS << Math.min(poor, MOST_DOUBLINGS)));
    }

    private boolean hasBeenSilent() {
        return empty > 0 && nanoTime.getAsLong() - silentSince >= MAX_SILENCE.toNanos();
    }

    /** Whether another try would bring the same. */
    private static boolean isFinal(Throwable failure) {
        if (!(failure instanceof BackendException known)) {
            return true;
        }
        return switch (known.kind()) {
            case INVALID_RESPONSE, UNAVAILABLE, THROTTLED -> false;
            default -> true;
        };
    }
}
