package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.async.DrainLoop;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * Prefetches a byte range of an object: fetches its absent blocks and waits until all its blocks are on disk. It passes
 * no bytes to a reader. After a cancel its runs continue to the end of a block, or to their own end if half of their
 * bytes have arrived.
 */
final class RangePrefetch {
    private final CacheableVersion version;
    private final ByteRange range;
    private final BlockStore store;
    private final PrefetchListener progress;
    private final MonoSink<Long> sink;
    private final ReaderFillRuns runs;
    private final DrainLoop loop = new DrainLoop(this::proceed);
    private volatile boolean cancelled;
    private volatile boolean waiting;
    private long number;
    private long brought;
    private @Nullable BlockFill fill;
    private boolean ended;

    RangePrefetch(
            CacheableVersion version,
            ByteRange range,
            BlockStore store,
            FillManager fills,
            Optional<OpeningFill> opening,
            PrefetchListener progress,
            MonoSink<Long> sink) {
        this.version = version;
        this.range = range;
        this.store = store;
        this.progress = progress;
        this.sink = sink;
        this.runs = new ReaderFillRuns(version, range, store, fills, opening, true);
        this.number = range.first() / version.blockSize();
    }

    void begin() {
        sink.onCancel(() -> {
            cancelled = true;
            loop.signal();
        });
        loop.signal();
    }

    private boolean proceed() {
        while (step()) {
            // Each step passes a block, or looks at it again.
        }
        return true;
    }

    /** Takes one step; returns whether another may follow at once. */
    private boolean step() {
        if (ended) {
            return false;
        }
        if (cancelled || number > range.last() / version.blockSize()) {
            finish();
            sink.success(brought);
            return false;
        }
        BlockFill following = fill;
        return following == null ? find() : follow(following);
    }

    private boolean find() {
        runs.leaveBefore(number);
        if (store.contains(version.block(number))) {
            passed(version.length(number), runs.broughtBlock(number));
            return true;
        }
        fill = runs.follow(number);
        runs.readAhead(number, number * version.blockSize());
        return fill != null || retryLost();
    }

    private boolean follow(BlockFill following) {
        Throwable failure = following.failure();
        if (failure != null) {
            fail(failure);
            return false;
        }
        if (following.isReleased()) {
            fill = null;
            return isStored(following) || retryLost();
        }
        if (following.isUnstored()) {
            fail(NotCachedException.transientFailure(
                    "no disk of the cache takes it: each fails, is full, or has its write budget used up"));
            return false;
        }
        if (!waiting) {
            waiting = true;
            // There is nothing after its end, so this is called when the block has been stored.
            following.onProgress(following.length(), () -> {
                waiting = false;
                loop.signal();
            });
        }
        return false;
    }

    private boolean isStored(BlockFill following) {
        if (!store.contains(following.key())) {
            return false;
        }
        passed(following.length(), true);
        return true;
    }

    private void passed(long length, boolean isBrought) {
        long first = number * version.blockSize();
        long wanted = Math.min(first + length - 1, range.last()) - Math.max(first, range.first()) + 1;
        brought += isBrought ? length : 0;
        number++;
        runs.found();
        progress.resident(wanted, isBrought);
    }

    /** Returns whether to fetch a lost block again; fails the prefetch if it was lost too often. */
    private boolean retryLost() {
        BackendException enough = runs.lost();
        if (enough != null) {
            fail(enough);
        }
        return enough == null;
    }

    private void fail(Throwable failure) {
        finish();
        sink.error(failure);
    }

    private void finish() {
        ended = true;
        runs.leaveAll();
    }
}
