package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.index.Fingerprint;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The runs that bring what one reader wants: those it began, a few ahead of it so that a large read comes in several requests at
 * once, and those of others. Used by one thread at a time.
 */
final class ReaderRuns {
    /** How far ahead of a reader runs are started. */
    private static final long AHEAD_BYTES = 32 << 20;

    private final CacheableVersion version;
    private final ByteRange range;
    private final BlockStore store;
    private final FillManager fills;
    private final boolean prefetch;
    private final Set<FillRun> joined = Collections.newSetFromMap(new IdentityHashMap<>());
    private long readAheadBlock;

    /** @param quiet whether it is no reader who wants it, but somebody who works ahead of readers */
    ReaderRuns(CacheableVersion version, ByteRange range, BlockStore store, FillManager fills, boolean quiet) {
        this.version = version;
        this.range = range;
        this.store = store;
        this.fills = fills;
        this.prefetch = quiet;
        FillRun opening = fills.takeOpening(version, range.first() / version.blockSize());
        if (opening != null) {
            joined.add(opening);
            raisePriority(opening);
        }
    }

    /** The fill of an absent block, which may have to be started; null if it is not absent any more. */
    @Nullable BlockFill follow(long number) {
        Fingerprint key = version.block(number);
        BlockFill there = fills.find(key);
        if (there == null) {
            start(number);
            return fills.find(key);
        }
        join(there.run());
        return there;
    }

    /** Starts what will be wanted soon, or waits for it with others; looks at most once at a block. */
    void readAhead(long number, long position) {
        if (prefetch ? fills.memory().isShortForPrefetch() : fills.memory().isShort()) {
            return;
        }
        long last = Math.min(range.last(), position + AHEAD_BYTES - 1) / version.blockSize();
        for (long next = Math.max(number + 1, readAheadBlock); next <= last; next++) {
            Fingerprint key = version.block(next);
            BlockFill there = fills.find(key);
            if (there != null) {
                join(there.run());
            } else if (!store.contains(key)) {
                start(next);
            }
            readAheadBlock = next + 1;
        }
    }

    /** Whether a block came, or comes, for this reader, or for another at the same time: it was not there before. */
    boolean broughtBlock(long number) {
        for (FillRun run : joined) {
            if (run.contains(number)) {
                return true;
            }
        }
        return false;
    }

    /** All before this block is with the reader. */
    void leaveBefore(long number) {
        joined.removeIf(run -> {
            boolean over = run.isBefore(number);
            if (over) {
                run.leave();
            }
            return over;
        });
    }

    /** Nothing is wanted any more. */
    void leaveAll() {
        joined.forEach(FillRun::leave);
        joined.clear();
    }

    private void start(long number) {
        FillRun run = fills.start(version, number, range.last() / version.blockSize(), prefetch);
        if (run != null) {
            joined.add(run);
        }
    }

    private void join(FillRun run) {
        if (joined.add(run)) {
            run.join();
            raisePriority(run);
            if (!prefetch) {
                fills.recorder().joined();
            }
        }
    }

    private void raisePriority(FillRun run) {
        if (prefetch) {
            run.requestStoring();
        } else {
            run.promote();
        }
    }
}
