package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.index.Fingerprint;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the backend requests whose blocks one reader follows: those it started and those of others. It reads ahead, so
 * that a large read uses several requests in parallel. Not thread-safe.
 */
final class ReaderFetchTracker {
    /** The read-ahead distance. */
    private static final long AHEAD_BYTES = 32 << 20;

    /** How often in a row a block may be lost; if that repeats, something is wrong with it. */
    private static final int MAX_LOSSES = 8;

    private final VersionFillSource version;
    private final ByteRange range;
    private final BlockStore store;
    private final FillManager fills;
    private final boolean prefetch;
    private final Set<AdjacentBlockFetch> joined = Collections.newSetFromMap(new IdentityHashMap<>());
    private final @Nullable BlockFill opened;
    private long readAheadBlock;
    private int losses;

    /**
     * @param opening the fill that this reader started by opening the object
     * @param quiet whether this is a prefetch, for which no reader waits
     */
    ReaderFetchTracker(
            VersionFillSource version,
            ByteRange range,
            BlockStore store,
            FillManager fills,
            Optional<OpeningFill> opening,
            boolean quiet) {
        this.version = version;
        this.range = range;
        this.store = store;
        this.fills = fills;
        this.prefetch = quiet;
        long first = range.first() / version.blockSize();
        opened = opening.map(OpeningFill::run)
                .filter(run -> run.contains(first))
                .map(run -> {
                    joined.add(run);
                    run.join();
                    raisePriority(run);
                    return run.block(first);
                })
                .orElse(null);
    }

    /** Returns the fill of the first block, if this reader started it by opening the object; otherwise null. */
    @Nullable BlockFill opened() {
        return opened;
    }

    /** Returns the fill of an absent block, which is started if necessary; null if the block is not absent any more. */
    @Nullable BlockFill follow(long number) {
        Fingerprint key = version.block(number);
        BlockFill inFlight = fills.find(key);
        if (inFlight == null) {
            AdjacentBlockFetch started = start(number);
            BlockFill found = fills.find(key);
            return found == null && started != null ? failedAtOnce(started.block(number)) : found;
        }
        join(inFlight.run());
        return inFlight;
    }

    /** Starts or joins the fills of absent blocks within the read-ahead distance; checks each block at most once. */
    void readAhead(long number, long position) {
        FillMemoryBudget memory = fills.memory();
        if (prefetch ? memory.isShortForPrefetch(version.account()) : memory.isShort(version.account())) {
            return;
        }
        long last = Math.min(range.last(), position + AHEAD_BYTES - 1) / version.blockSize();
        for (long next = Math.max(number + 1, readAheadBlock); next <= last; next++) {
            Fingerprint key = version.block(next);
            BlockFill inFlight = fills.find(key);
            if (inFlight != null) {
                join(inFlight.run());
            } else if (!store.contains(key)) {
                start(next);
            }
            readAheadBlock = next + 1;
        }
    }

    /** Returns whether a block was filled for this reader, or for another one at the same time: it was not a hit. */
    boolean broughtBlock(long number) {
        for (AdjacentBlockFetch run : joined) {
            if (run.contains(number)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Records that a block was stored or abandoned and then lost.
     *
     * @param fail called with a failure if it was lost too often
     * @return whether to look for it again
     */
    boolean retryLost(Consumer<? super BackendException> fail) {
        boolean retry = ++losses <= MAX_LOSSES;
        if (!retry) {
            fail.accept(new BackendException(
                    BackendException.FailureKind.UNAVAILABLE,
                    "a block was fetched %d times and lost".formatted(MAX_LOSSES)));
        }
        return retry;
    }

    /**
     * Returns the failure of a followed run whose bytes turned out to be wrong, or null. A reader has some of them
     * already.
     */
    @Nullable BackendException refusal() {
        if (joined.isEmpty()) {
            return null;
        }
        for (AdjacentBlockFetch run : joined) {
            @Nullable BackendException refusal = run.refusal();
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /** Records that the block was found. */
    void found() {
        losses = 0;
    }

    /** Leaves the runs whose blocks all precede this block. */
    void leaveBefore(long number) {
        joined.removeIf(run -> {
            boolean over = run.isBefore(number);
            if (over) {
                run.leave();
            }
            return over;
        });
    }

    /** Leaves all runs. */
    void leaveAll() {
        joined.forEach(AdjacentBlockFetch::leave);
        joined.clear();
    }

    /**
     * Returns a block that is not in flight any more because its run failed at once, so that the reader gets its
     * failure; or null.
     */
    private static @Nullable BlockFill failedAtOnce(BlockFill ended) {
        return ended.failure() == null ? null : ended;
    }

    /**
     * Starts a run with a block that is not in flight; null if it is not absent, or if a run that had it was refused.
     */
    private @Nullable AdjacentBlockFetch start(long number) {
        if (refusal() != null) {
            // A request for a part of the object could not be compared with its checksum.
            return null;
        }
        AdjacentBlockFetch run = fills.start(version, number, range.last() / version.blockSize(), prefetch);
        if (run != null) {
            joined.add(run);
        }
        return run;
    }

    private void join(AdjacentBlockFetch run) {
        if (joined.add(run)) {
            run.joinLate();
            raisePriority(run);
            if (!prefetch) {
                fills.recorder().collapsed();
            }
        }
    }

    private void raisePriority(AdjacentBlockFetch run) {
        if (prefetch) {
            run.requestStoring();
        } else {
            run.promote();
        }
    }
}
