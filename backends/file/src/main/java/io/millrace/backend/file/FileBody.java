package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The bytes of an open file, a piece for each that is asked for: nothing is read ahead, so that a slow reader costs one
 * piece. Reads on the pool, in turns, so that a fast reader of a large file does not keep a thread from the others. Closes the
 * file when it ends, fails, or is cancelled, and not while a read goes on. Subscribed to once.
 */
final class FileBody extends Flux<ByteBuf> {
    /** Largest piece. */
    static final int PIECE = 64 << 10;

    /** Pieces a reader gets before the next reader has its turn: 1 MiB. */
    private static final int TURN = 16;

    private final OpenFile file;
    private final FilePool pool;
    private final long first;
    private final long end;
    private final AtomicBoolean taken = new AtomicBoolean();

    /**
     * @param file is closed by this body
     * @param first where to begin in the file
     * @param length how many bytes to bring
     */
    FileBody(OpenFile file, FilePool pool, long first, long length) {
        this.file = file;
        this.pool = pool;
        this.first = first;
        this.end = first + length;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        if (!taken.compareAndSet(false, true)) {
            Operators.error(reader, new IllegalStateException("a body is subscribed to once"));
            return;
        }
        Reading reading = new Reading(reader);
        reader.onSubscribe(reading);
        if (first == end) {
            reading.proceed();
        }
    }

    private final class Reading implements Subscription, Runnable {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final AtomicLong wanted = new AtomicLong();
        /** How often the pool was called since it began; only the first call sends a task there. */
        private final AtomicInteger calls = new AtomicInteger();

        private volatile boolean cancelled;
        private long position = first;
        private boolean closed;

        Reading(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        @Override
        public void request(long count) {
            if (Operators.validate(count)) {
                wanted.accumulateAndGet(count, Operators::addCap);
                proceed();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            proceed();
        }

        void proceed() {
            if (calls.getAndIncrement() == 0) {
                submit();
            }
        }

        @Override
        public void run() {
            int seen = calls.get();
            do {
                if (!readTurn()) {
                    submit();
                    return;
                }
                seen = calls.addAndGet(-seen);
            } while (seen != 0);
        }

        /** Whether there is nothing more to do for now. */
        private boolean readTurn() {
            for (int pieces = 0; !closed; pieces++) {
                if (cancelled) {
                    close();
                } else if (position == end) {
                    close();
                    reader.onComplete();
                } else if (wanted.get() == 0) {
                    return true;
                } else if (pieces == TURN) {
                    return false;
                } else {
                    readPiece();
                }
            }
            return true;
        }

        private void readPiece() {
            ByteBuf piece;
            try {
                piece = file.read(position, (int) Math.min(PIECE, end - position));
            } catch (BackendException e) {
                fail(e);
                return;
            } catch (IOException e) {
                fail(FileErrors.of(e));
                return;
            } catch (RuntimeException | Error e) {
                fail(new BackendException(BackendException.Kind.UNEXPECTED, "reading failed", e));
                return;
            }
            position += piece.readableBytes();
            if (wanted.get() != Long.MAX_VALUE) {
                wanted.decrementAndGet();
            }
            reader.onNext(piece);
        }

        private void submit() {
            try {
                pool.execute(this);
            } catch (RejectedExecutionException e) {
                // The pool runs no task of ours now, so this thread may.
                fail(FilePool.closed());
            }
        }

        private void fail(BackendException failure) {
            if (closed) {
                return;
            }
            close();
            if (!cancelled) {
                reader.onError(failure);
            }
        }

        private void close() {
            closed = true;
            file.close();
        }
    }
}
