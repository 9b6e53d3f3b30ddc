package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.kit.async.DrainLoop;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Publishes the bytes of an open file in pieces of up to 64 KiB, on demand.
 *
 * <p>Reads nothing ahead, so a slow reader costs one piece. Reads on the pool in turns, so that a fast reader of a
 * large file does not keep a thread from the others. Closes the file when it ends, fails, or is cancelled, but not
 * during a read. Allows one subscriber.
 */
final class FileBodyPublisher extends Flux<ByteBuf> {
    /** Largest piece in bytes. */
    static final int PIECE = 64 << 10;

    /** Pieces that a reader gets before the next reader has its turn: 1 MiB. */
    private static final int PIECES_PER_TURN = 16;

    private final ChangeDetectingReader file;
    private final FileThreadPool pool;
    private final long first;
    private final long end;
    private final AtomicBoolean taken = new AtomicBoolean();

    /**
     * @param file owned and closed by this body
     * @param first offset of the first byte in the file
     * @param length number of bytes
     */
    FileBodyPublisher(ChangeDetectingReader file, FileThreadPool pool, long first, long length) {
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
        ReadSubscription reading = new ReadSubscription(reader);
        reader.onSubscribe(reading);
        if (first == end) {
            reading.loop.signal();
        }
    }

    private final class ReadSubscription implements Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final AtomicLong demand = new AtomicLong();
        // The pool runs no task of ours when it rejects one, so the signal's thread may fail the reader.
        private final DrainLoop loop = new DrainLoop(pool, this::readTurn, () -> fail(FileThreadPool.closedError()));

        private volatile boolean cancelled;
        private long position = first;
        private boolean closed;

        ReadSubscription(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        @Override
        public void request(long count) {
            if (Operators.validate(count)) {
                demand.accumulateAndGet(count, Operators::addCap);
                loop.signal();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            loop.signal();
        }

        /** Returns whether there is nothing more to do for now. */
        private boolean readTurn() {
            for (int pieces = 0; !closed; pieces++) {
                if (cancelled) {
                    close();
                } else if (position == end) {
                    close();
                    reader.onComplete();
                } else if (demand.get() == 0) {
                    return true;
                } else if (pieces == PIECES_PER_TURN) {
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
                fail(FileErrorMapper.ofRead(e, file.object()));
                return;
            } catch (RuntimeException | Error e) {
                fail(new BackendException(BackendException.FailureKind.UNEXPECTED, "reading failed", e));
                return;
            }
            position += piece.readableBytes();
            if (demand.get() != Long.MAX_VALUE) {
                demand.decrementAndGet();
            }
            reader.onNext(piece);
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
