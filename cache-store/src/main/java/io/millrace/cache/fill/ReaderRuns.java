package io.millrace.cache.fill;

import io.millrace.backend.spi.ByteRange;
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

    private final FilledVersion version;
    private final ByteRange range;
    private final BlockStore store;
    private final Fills fills;
    private final boolean quiet;
    private final Set<Run> joined = Collections.newSetFromMap(new IdentityHashMap<>());
    private long lookedAhead;

    /** @param quiet whether it is no reader who wants it, but somebody who works ahead of readers */
    ReaderRuns(FilledVersion version, ByteRange range, BlockStore store, Fills fills, boolean quiet) {
        this.version = version;
        this.range = range;
        this.store = store;
        this.fills = fills;
        this.quiet = quiet;
        Run opening = fills.takeOpening(version, range.first() / version.blockSize());
        if (opening != null) {
            joined.add(opening);
            interest(opening);
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
    void lookAhead(long number, long position) {
        if (quiet ? fills.memory().isShortForQuiet() : fills.memory().isShort()) {
            return;
        }
        long last = Math.min(range.last(), position + AHEAD_BYTES - 1) / version.blockSize();
        for (long next = Math.max(number + 1, lookedAhead); next <= last; next++) {
            Fingerprint key = version.block(next);
            BlockFill there = fills.find(key);
            if (there != null) {
                join(there.run());
            } else if (!store.contains(key)) {
                start(next);
            }
            lookedAhead = next + 1;
        }
    }

    /** Whether a block came, or comes, for this reader, or for another at the same time: it was not there before. */
    boolean bring(long number) {
        for (Run run : joined) {
            if (run.brings(number)) {
                return true;
            }
        }
        return false;
    }

    /** All before this block is with the reader. */
    void passed(long number) {
        joined.removeIf(run -> {
            boolean over = run.isBefore(number);
            if (over) {
                run.leave();
            }
            return over;
        });
    }

    /** Nothing is wanted any more. */
    void leave() {
        joined.forEach(Run::leave);
        joined.clear();
    }

    private void start(long number) {
        Run run = fills.start(version, number, range.last() / version.blockSize(), quiet);
        if (run != null) {
            joined.add(run);
        }
    }

    private void join(Run run) {
        if (joined.add(run)) {
            run.join();
            interest(run);
            if (!quiet) {
                fills.recorder().joined();
            }
        }
    }

    private void interest(Run run) {
        if (quiet) {
            run.wantStored();
        } else {
            run.promote();
        }
    }
}
