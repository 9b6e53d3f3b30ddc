package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.disk.BlockPageLayout;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Decides whether and when an interrupted fetch is resumed at the byte where it broke off. Not thread-safe.
 *
 * <p>As long as each attempt brings a page, there is no limit: a lossy long-distance link still gets a large object
 * through, at one request a page at worst. An attempt that brings less is poor. The policy gives up after
 * {@link #MAX_WITHOUT_PROGRESS} poor attempts in a row, after {@link #MAX_EMPTY} in a row that bring nothing, or once
 * those have taken {@link #MAX_SILENCE}, because a reader should not wait longer for a server that hangs. As long as
 * nothing has come, it also gives up at once if the backend refuses requests for now, or if the request was tried often
 * enough ({@link UnopenedFetchException}): its own retries keep within a budget. Each poor attempt doubles the pause
 * before the next, from 0.2 to 1.6 s. So a server that cuts every response costs a few requests and 8 s, and not a
 * request for each small piece.
 */
final class FetchResumePolicy {
    /** An attempt that brings this many bytes resets the counts. */
    static final int PROGRESS_BYTES = BlockPageLayout.SIZE;

    static final int MAX_WITHOUT_PROGRESS = 8;
    static final int MAX_EMPTY = 3;

    static final Duration MAX_SILENCE = Duration.ofSeconds(10);

    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_DOUBLINGS = 4;

    private final LongSupplier nanoTime;
    private long brought;
    private boolean everBrought;
    private long silentSince;
    private int poor;
    private int empty;

    FetchResumePolicy() {
        this(System::nanoTime);
    }

    FetchResumePolicy(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.silentSince = nanoTime.getAsLong();
    }

    /** Records that a request is sent. */
    void begin() {
        brought = 0;
        if (empty == 0) {
            silentSince = nanoTime.getAsLong();
        }
    }

    /** Records received bytes. */
    void received(int bytes) {
        brought += bytes;
        everBrought |= bytes > 0;
    }

    /**
     * Records that the response broke off or never came.
     *
     * @return the pause before the next attempt; empty to give up
     */
    Optional<Duration> interrupted(Throwable failure) {
        poor = brought >= PROGRESS_BYTES ? 0 : poor + 1;
        empty = brought > 0 ? 0 : empty + 1;
        return isFinal(failure)
                        || isRefused(failure)
                        || poor >= MAX_WITHOUT_PROGRESS
                        || empty >= MAX_EMPTY
                        || hasBeenSilent()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(PAUSE_MILLIS << Math.min(poor, MOST_DOUBLINGS)));
    }

    private boolean hasBeenSilent() {
        return empty > 0 && nanoTime.getAsLong() - silentSince >= MAX_SILENCE.toNanos();
    }

    /**
     * Returns whether the backend is to be left alone for now, and the reader has received nothing that it would lose.
     */
    private boolean isRefused(Throwable failure) {
        return !everBrought
                && failure instanceof BackendException backendFailure
                && (backendFailure instanceof UnopenedFetchException
                        || backendFailure.retryAfter().isPresent());
    }

    /** Returns whether another attempt would fail as well. */
    private static boolean isFinal(Throwable failure) {
        return !(failure instanceof BackendException known)
                || !(known.kind().isTemporary() || known.kind() == FailureKind.INVALID_RESPONSE);
    }
}
