package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.cache.disk.Pages;
import io.millrace.cache.disk.RecordStore;
import io.millrace.cache.disk.StoredRecord;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * A reader of a version: a cursor that takes each block from where it is. On a disk: read there. Under way: followed. Absent:
 * a run is started, and a few ahead of it, so that a large read comes in several requests at once.
 */
final class BodyReader extends Flux<ReferenceCounted> {
    private static final Logger log = LoggerFactory.getLogger(BodyReader.class);

    /** How far ahead of a reader runs are started. */
    private static final long AHEAD_BYTES = 32 << 20;

    /** Up to this a body is read into memory, above it is sent from the file. */
    private static final int SMALL = Pages.SIZE;

    /** How often one block may vanish before its reader got it. */
    private static final int PATIENCE = 8;

    private final FilledVersion version;
    private final ByteRange range;
    private final RecordStore store;
    private final Fills fills;

    BodyReader(FilledVersion version, ByteRange range, RecordStore store, Fills fills) {
        this.version = version;
        this.range = range;
        this.store = store;
        this.fills = fills;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ReferenceCounted> reader) {
        Optional<Executor> executor = reader.currentContext().getOrEmpty(Fills.EXECUTOR);
        reader.onSubscribe(new Cursor(reader, executor.orElse(Runnable::run)));
    }

    /** Its state belongs to {@link #step}, which runs once at a time. */
    private final class Cursor implements Subscription, Runnable {
        private final CoreSubscriber<? super ReferenceCounted> reader;
        private final Executor executor;
        private final AtomicInteger work = new AtomicInteger();
        private final AtomicLong demand = new AtomicLong();
        private final Set<Run> joined = Collections.newSetFromMap(new IdentityHashMap<>());
        private volatile boolean cancelled;
        private volatile @Nullable ReferenceCounted fromDisk;
        private volatile int fromDiskBytes;
        private volatile boolean reading;
        private volatile boolean unread;
        private volatile boolean waiting;
        private @Nullable BlockFill fill;
        private long position = range.first();
        private long lookedAhead;
        private int vanished;
        private boolean ended;

        Cursor(CoreSubscriber<? super ReferenceCounted> reader, Executor executor) {
            this.reader = reader;
            this.executor = executor;
        }

        @Override
        public void request(long n) {
            demand.getAndUpdate(asked -> Operators.addCap(asked, n));
            wake();
        }

        @Override
        public void cancel() {
            cancelled = true;
            wake();
        }

        private void wake() {
            if (work.getAndIncrement() == 0) {
                try {
                    executor.execute(this);
                } catch (RejectedExecutionException loopIsGone) {
                    cancelled = true;
                    run();
                }
            }
        }

        @Override
        public void run() {
            int seen = work.get();
            do {
                steps();
                seen = work.addAndGet(-seen);
            } while (seen != 0);
        }

        /** A reader that fails in its own way leaves; nobody else hears of it. */
        private void steps() {
            try {
                while (step()) {
                    // Each step emits a piece or moves on.
                }
            } catch (RuntimeException | OutOfMemoryError e) {
                log.warn("A reader of the cache failed", e);
                boolean told = ended;
                cancelled = true;
                finish();
                if (!told) {
                    tell(e);
                }
            }
        }

        private void tell(Throwable failure) {
            try {
                reader.onError(failure);
            } catch (RuntimeException alsoThere) {
                log.warn("A reader of the cache failed on the failure", alsoThere);
            }
        }

        /** Whether there may be more to do at once. */
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
            if (demand.get() == 0 || reading) {
                return false;
            }
            ReferenceCounted piece = fromDisk;
            if (piece != null) {
                fromDisk = null;
                emit(piece, fromDiskBytes);
                return true;
            }
            if (unread) {
                unread = false;
                return giveUpIfItKeepsVanishing();
            }
            long number = position / version.blockSize();
            int offset = (int) (position % version.blockSize());
            int wanted = (int) Math.min(version.length(number) - offset, range.last() - position + 1);
            BlockFill following = fill;
            if (following == null || following.number() != number) {
                following = null;
                fill = null;
                StoredRecord record = store.find(version.block(number));
                if (record != null) {
                    lookAhead(number);
                    return serve(record, offset, wanted);
                }
                following = follow(number);
                if (following == null) {
                    return giveUpIfItKeepsVanishing();
                }
                fill = following;
                lookAhead(number);
            }
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
            if (following.isGone()) {
                fill = null;
                return giveUpIfItKeepsVanishing();
            }
            if (!waiting) {
                waiting = true;
                following.await(offset, () -> {
                    waiting = false;
                    wake();
                });
            }
            return false;
        }

        /** The fill of an absent block, which may have to be started; null if it is not absent any more. */
        private @Nullable BlockFill follow(long number) {
            Fingerprint key = version.block(number);
            BlockFill there = fills.find(key);
            if (there == null) {
                Run run = fills.start(version, number, range.last() / version.blockSize());
                if (run != null) {
                    joined.add(run);
                }
                return fills.find(key);
            }
            if (joined.add(there.run())) {
                there.run().join();
                fills.recorder().joined();
            }
            return there;
        }

        /** Starts what will be wanted soon, at most once a block. */
        private void lookAhead(long number) {
            if (fills.memory().isShort()) {
                return;
            }
            long last = Math.min(range.last(), position + AHEAD_BYTES - 1) / version.blockSize();
            for (long next = Math.max(number + 1, lookedAhead); next <= last; next++) {
                Fingerprint key = version.block(next);
                if (fills.find(key) == null && !store.contains(key)) {
                    Run run = fills.start(version, next, range.last() / version.blockSize());
                    if (run != null) {
                        joined.add(run);
                    }
                }
                lookedAhead = next + 1;
            }
        }

        /** Serves bytes of a block that is stored; owns the record. */
        private boolean serve(StoredRecord record, int offset, int wanted) {
            if (offset == 0 || position == range.first()) {
                record.used();
            }
            if (record.isVerified() && record.isLikelyInMemory(offset, wanted)) {
                try (record) {
                    ReferenceCounted piece =
                            wanted > SMALL ? record.region(offset, wanted) : record.readFromMemory(offset, wanted);
                    if (piece == null) {
                        return giveUpIfItKeepsVanishing();
                    }
                    emit(piece, wanted);
                    return true;
                } catch (IOException e) {
                    record.dropUnreadable();
                    return giveUpIfItKeepsVanishing();
                }
            }
            reading = true;
            fromDiskBytes = wanted;
            try {
                record.readers().execute(() -> {
                    try {
                        fromDisk = load(record, offset, wanted);
                    } finally {
                        unread = fromDisk == null;
                        reading = false;
                        wake();
                    }
                });
            } catch (RejectedExecutionException closing) {
                reading = false;
                record.close();
                fail(new BackendException(BackendException.Kind.UNAVAILABLE, "the cache is closing"));
            }
            return false;
        }

        /** Reads on a thread of the disk; null if what is there is not what it should be. */
        private @Nullable ReferenceCounted load(StoredRecord record, int offset, int wanted) {
            try (record) {
                // A large piece is sent by the event loop; reading it here brings it into memory.
                boolean right = (wanted <= SMALL && record.isVerified()) || record.verify();
                if (!right) {
                    return null;
                }
                return wanted > SMALL ? record.region(offset, wanted) : record.read(offset, wanted);
            } catch (IOException e) {
                record.dropUnreadable();
                return null;
            }
        }

        private void emit(ReferenceCounted piece, long bytes) {
            position += bytes;
            vanished = 0;
            demand.getAndUpdate(asked -> asked == Long.MAX_VALUE ? asked : asked - 1);
            if (!(piece instanceof ByteBuf) || fill == null) {
                fills.recorder().served(bytes);
            }
            reader.onNext(piece);
        }

        /** A block that is stored and gone, or given up and gone, again and again: something is wrong with all of it. */
        private boolean giveUpIfItKeepsVanishing() {
            if (++vanished <= PATIENCE) {
                return true;
            }
            fail(new BackendException(
                    BackendException.Kind.UNAVAILABLE, "a block was fetched %d times and lost".formatted(PATIENCE)));
            return false;
        }

        private void fail(Throwable failure) {
            finish();
            reader.onError(failure);
        }

        private void finish() {
            if (!reading && fromDisk != null) {
                fromDisk.release();
                fromDisk = null;
            }
            if (!ended) {
                ended = true;
                joined.forEach(Run::leave);
                joined.clear();
            }
        }
    }
}
