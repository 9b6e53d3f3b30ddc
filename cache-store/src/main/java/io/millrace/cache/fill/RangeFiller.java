package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.kit.async.DrainLoop;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * Loads a byte range of an object into the cache: fetches the blocks that are absent and waits until all are on disk.
 * It passes no bytes to a reader. After a cancel its runs continue to the end of a block, or to their own end if half
 * of their bytes have arrived, as long as they make progress.
 */
final class RangeFiller {
    private final VersionFillSource version;
    private final ByteRange range;
    private final BlockStore store;
    private final PrefetchListener progress;
    private final MonoSink<Long> sink;
    private final ReaderFetchTracker runs;
    private final DrainLoop loop = new DrainLoop(this::proceed);
    private volatile boolean cancelled;
    private volatile boolean waiting;
    private long number;
    private long brought;
    private @Nullable BlockFill fill;
    private boolean ended;

    RangeFiller(
            VersionFillSource version,
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
        this.runs = new ReaderFetchTracker(version, range, store, fills, opening, true);
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
        BackendException refusal = runs.refusal();
        if (refusal != null) {
            fail(refusal);
            return false;
        }
        if (store.contains(version.block(number))) {
            passed(version.length(number), runs.broughtBlock(number));
            return true;
        }
        fill = runs.follow(number);
        runs.readAhead(number, number * version.blockSize());
        return fill != null || runs.retryLost(this::fail);
    }

    private boolean follow(BlockFill following) {
        Throwable failure = following.failure();
        if (failure != null) {
            fail(failure);
            return false;
        }
        if (following.isReleased()) {
            fill = null;
            return isStored(following) || runs.retryLost(this::fail);
        }
        if (following.isUnstored()) {
            fail(UncacheableObjectException.transientFailure(
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

    private void fail(Throwable failure) {
        finish();
        sink.error(failure);
    }

    private void finish() {
        ended = true;
        runs.leaveAll();
    }
}
