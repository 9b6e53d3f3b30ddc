package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockPageLayout;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.kit.async.DrainLoop;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Streams a byte range of an object version through the cache. A cursor takes each block from its current place: it
 * reads stored blocks from disk, follows blocks in flight, and starts a run for absent ones.
 */
final class CachedRangeStream extends Flux<ReferenceCounted> {
    private static final Logger log = LoggerFactory.getLogger(CachedRangeStream.class);

    /**
     * Up to this size bytes are read into memory; larger pieces are sent from the file, or are read one after another.
     */
    static final int SMALL = BlockPageLayout.SIZE;

    private final VersionFillSource version;
    private final ByteRange range;
    private final BlockStore store;
    private final FillManager fills;
    private final Optional<OpeningFill> opening;

    CachedRangeStream(
            VersionFillSource version,
            ByteRange range,
            BlockStore store,
            FillManager fills,
            Optional<OpeningFill> opening) {
        this.version = version;
        this.range = range;
        this.store = store;
        this.fills = fills;
        this.opening = opening;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ReferenceCounted> reader) {
        Optional<Executor> executor = reader.currentContext().getOrEmpty(FillManager.EXECUTOR);
        boolean buffersOnly = reader.currentContext().hasKey(FillManager.BUFFERS_ONLY);
        Cursor cursor = new Cursor(reader, executor.orElse(Runnable::run), buffersOnly);
        cursor.begin();
        reader.onSubscribe(cursor);
    }

    /** The subscription's position in the range. Only {@link #step} accesses its state, on one thread at a time. */
    private final class Cursor implements Subscription {
        private final CoreSubscriber<? super ReferenceCounted> reader;
        private final DrainLoop loop;
        private final AtomicLong demand = new AtomicLong();
        private final ReaderFetchTracker runs = new ReaderFetchTracker(version, range, store, fills, opening, false);
        private final StoredBlockReader disk;

        /**
         * The first bytes of the object that this reader opened. They are taken when they arrive, because the block of
         * a small object may be on a disk, and its memory released, before the executor runs the first step.
         */
        private final AtomicReference<@Nullable ByteBuf> firstBytes = new AtomicReference<>();

        private volatile boolean cancelled;
        private volatile boolean waiting;
        private @Nullable BlockFill fill;
        private long position = range.first();
        private volatile boolean ended;

        /** @param buffersOnly whether no piece may be a file region */
        Cursor(CoreSubscriber<? super ReferenceCounted> reader, Executor executor, boolean buffersOnly) {
            this.reader = reader;
            this.loop = new DrainLoop(executor, this::proceed, this::abandon);
            this.disk = new StoredBlockReader(store, fills.immediate(), buffersOnly, executor, loop::signal);
        }

        /** Takes the first bytes as soon as they arrive, if this reader opened the object. */
        void begin() {
            BlockFill opened = runs.opened();
            if (opened != null) {
                int offset = (int) (range.first() % version.blockSize());
                opened.onProgress(offset, () -> takeFirst(opened, offset));
            }
        }

        private void takeFirst(BlockFill opened, int offset) {
            int wanted = (int) Math.min(opened.length() - offset, range.length());
            firstBytes.set(opened.take(offset, wanted));
            if (ended) {
                releaseFirst();
            }
        }

        private void releaseFirst() {
            ByteBuf taken = firstBytes.getAndSet(null);
            if (taken != null) {
                taken.release();
            }
        }

        @Override
        public void request(long n) {
            demand.getAndUpdate(pending -> Operators.addCap(pending, n));
            loop.signal();
        }

        @Override
        public void cancel() {
            cancelled = true;
            loop.signal();
        }

        /** Ends this reader on the thread of a signal, because the event loop is closed. */
        private void abandon() {
            cancelled = true;
            loop.run();
        }

        /** Runs steps until none can proceed. An unexpected exception ends only this reader. */
        private boolean proceed() {
            try {
                while (step()) {
                    // Each step emits a piece or moves on.
                }
            } catch (RuntimeException | OutOfMemoryError e) {
                log.warn("A reader of the cache failed", e);
                boolean wasEnded = ended;
                cancelled = true;
                finish();
                if (!wasEnded) {
                    signalError(e);
                }
            }
            return true;
        }

        private void signalError(Throwable failure) {
            try {
                reader.onError(failure);
            } catch (RuntimeException alsoThrown) {
                log.warn("A reader of the cache failed while it handled a failure", alsoThrown);
            }
        }

        /** Takes one step; returns whether another may follow at once. */
        private boolean step() {
            if (ended || cancelled) {
                finish();
                return false;
            }
            if (position > range.last()) {
                finish();
                reader.onComplete();
                return false;
            }
            if (demand.get() == 0 || disk.isRunning()) {
                return false;
            }
            ReferenceCounted piece = disk.take();
            if (piece != null) {
                emit(piece, disk.bytes());
                return true;
            }
            if (disk.hasFailed()) {
                return runs.retryLost(this::fail);
            }
            if (emitFirst()) {
                return true;
            }
            long number = position / version.blockSize();
            int offset = (int) (position % version.blockSize());
            int wanted = (int) Math.min(version.length(number) - offset, range.last() - position + 1);
            BlockFill following = fill;
            return (following != null && following.number() == number)
                    ? follow(following, offset, wanted)
                    : find(number, offset, wanted);
        }

        private boolean emitFirst() {
            ByteBuf taken = firstBytes.getAndSet(null);
            if (taken == null) {
                return false;
            }
            if (position > range.first()) {
                // A step has found them in the fill or on a disk already.
                taken.release();
                return false;
            }
            emit(taken, taken.readableBytes());
            return true;
        }

        /** Finds the current block on a disk or in flight, or starts its fill. */
        private boolean find(long number, int offset, int wanted) {
            fill = null;
            runs.leaveBefore(number);
            BackendException refusal = runs.refusal();
            if (refusal != null) {
                fail(refusal);
                return false;
            }
            StoredBlock record = store.find(version.block(number));
            if (record != null) {
                runs.readAhead(number, position);
                if (offset == 0 || position == range.first()) {
                    record.used();
                }
                disk.read(version.block(number), record, offset, wanted);
                return true;
            }
            BlockFill following = runs.follow(number);
            if (following == null) {
                return runs.retryLost(this::fail);
            }
            fill = following;
            runs.readAhead(number, position);
            return follow(following, offset, wanted);
        }

        private boolean follow(BlockFill following, int offset, int wanted) {
            ByteBuf piece = following.take(offset, wanted);
            if (piece != null) {
                emit(piece, piece.readableBytes());
                return true;
            }
            Throwable failure = following.failure();
            if (failure != null) {
                fail(failure);
                return false;
            }
            if (following.isReleased()) {
                fill = null;
                return runs.retryLost(this::fail);
            }
            if (!waiting) {
                waiting = true;
                following.onProgress(offset, () -> {
                    waiting = false;
                    loop.signal();
                });
            }
            return false;
        }

        private void emit(ReferenceCounted piece, long bytes) {
            if (!runs.broughtBlock(position / version.blockSize())) {
                fills.recorder().served(bytes);
            }
            position += bytes;
            runs.found();
            demand.getAndUpdate(pending -> pending == Long.MAX_VALUE ? pending : pending - 1);
            reader.onNext(piece);
        }

        private void fail(Throwable failure) {
            finish();
            reader.onError(failure);
        }

        private void finish() {
            disk.release();
            if (!ended) {
                ended = true;
                runs.leaveAll();
            }
            releaseFirst();
        }
    }
}
