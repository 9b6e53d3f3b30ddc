package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.kit.async.DrainLoop;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Writes an upload body on the thread pool to a {@link BodySink}, such as a temporary file.
 *
 * <p>Requests a few pieces at a time, so that a slow disk slows the client down and little is buffered; occupies a
 * thread only while there are pieces. Finishes the target when exactly the announced number of bytes has come, and
 * abandons it in any other case, also on cancellation.
 */
final class UploadBodyWriter<T> extends Mono<T> {
    /** Pieces of up to 64 KiB that are requested and not yet written: 256 KiB. */
    private static final int WINDOW = 4;

    /** Pieces that an upload writes before the next one has its turn. */
    private static final int PIECES_PER_TURN = 16;

    private final Supplier<BodySink<T>> targets;
    private final UploadBody body;
    private final FileThreadPool pool;

    /**
     * The destination of a body. Used by one thread at a time, on the pool; {@link #abandon} may come at any time
     * except during another call.
     */
    interface BodySink<T> {
        /** Called first. If it fails, the body is not subscribed to. */
        void open() throws IOException;

        /** Writes a piece; the caller still owns it. */
        void write(ByteBuf piece) throws IOException;

        /** Called last: completes what was written. */
        T finish() throws IOException;

        /**
         * Discards what was not finished. Also called after {@link #finish}, even after its failure, and must not undo
         * it then.
         */
        void abandon();
    }

    /**
     * @param targets called once for each subscription
     */
    UploadBodyWriter(Supplier<BodySink<T>> targets, UploadBody body, FileThreadPool pool) {
        this.targets = targets;
        this.body = body;
        this.pool = pool;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        subscriber.onSubscribe(new WriteSubscription(subscriber, targets.get()));
    }

    private enum Phase {
        NEW,
        RECEIVING,
        ENDED
    }

    private final class WriteSubscription implements Subscription, CoreSubscriber<ByteBuf> {
        private final CoreSubscriber<? super T> subscriber;
        private final BodySink<T> target;
        private final AtomicBoolean requested = new AtomicBoolean();
        private final DrainLoop loop = new DrainLoop(pool, this::runTurn, this::abandon);
        private final Queue<ByteBuf> pieces = new ConcurrentLinkedQueue<>();
        private volatile @Nullable Subscription source;
        private volatile @Nullable Throwable failure;
        private volatile boolean complete;
        private volatile boolean cancelled;
        private volatile boolean poolIsClosed;

        private Phase phase = Phase.NEW;
        private long received;

        WriteSubscription(CoreSubscriber<? super T> subscriber, BodySink<T> target) {
            this.subscriber = subscriber;
            this.target = target;
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void request(long count) {
            if (requested.compareAndSet(false, true)) {
                loop.signal();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            cancelSource();
            loop.signal();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            source = subscription;
            if (cancelled) {
                subscription.cancel();
            } else {
                subscription.request(WINDOW);
            }
        }

        @Override
        public void onNext(ByteBuf piece) {
            pieces.add(piece);
            if (poolIsClosed) {
                releasePieces();
            } else {
                loop.signal();
            }
        }

        @Override
        public void onError(Throwable error) {
            failure = error;
            loop.signal();
        }

        @Override
        public void onComplete() {
            complete = true;
            loop.signal();
        }

        private void abandon() {
            // The pool runs no task of ours now, so this thread may.
            poolIsClosed = true;
            fail(FileThreadPool.closedError());
            releasePieces();
        }

        /** Returns whether there is nothing more to do for now. */
        private boolean runTurn() {
            for (int written = 0; phase != Phase.ENDED; written++) {
                @Nullable Throwable failed = failure;
                if (cancelled) {
                    end();
                } else if (failed != null) {
                    fail(failed);
                } else if (phase == Phase.NEW) {
                    open();
                } else if (written >= PIECES_PER_TURN) {
                    return false;
                } else if (!takeNext()) {
                    return true;
                }
            }
            releasePieces();
            return true;
        }

        private void open() {
            try {
                target.open();
                phase = Phase.RECEIVING;
                body.pieces().subscribe(this);
            } catch (Exception | Error e) { // an Error too, or the client would wait for ever
                fail(pool.toBackendException(e));
            }
        }

        /** Returns whether there was a piece, or the end. */
        private boolean takeNext() {
            boolean isLast = complete;
            @Nullable ByteBuf piece = pieces.poll();
            if (piece != null) {
                write(piece);
            } else if (isLast) {
                finish();
            }
            return piece != null || isLast;
        }

        private void write(ByteBuf piece) {
            try {
                received += piece.readableBytes();
                if (received > body.length()) {
                    throw new BackendException(
                            FailureKind.UNEXPECTED,
                            "the body is longer than the announced %d bytes".formatted(body.length()));
                }
                target.write(piece);
            } catch (Exception | Error e) {
                fail(pool.toBackendException(e));
                return;
            } finally {
                piece.release();
            }
            @Nullable Subscription more = source;
            if (more != null) {
                more.request(1);
            }
        }

        private void finish() {
            T result;
            try {
                if (received < body.length()) {
                    throw new BackendException(
                            FailureKind.UNEXPECTED,
                            "the body ended early: %d bytes announced, %d received".formatted(body.length(), received));
                }
                result = target.finish();
            } catch (Exception | Error e) {
                fail(pool.toBackendException(e));
                return;
            }
            end();
            if (!cancelled) {
                subscriber.onNext(result);
                subscriber.onComplete();
            }
        }

        private void fail(Throwable cause) {
            if (phase == Phase.ENDED) {
                return;
            }
            end();
            cancelSource();
            if (!cancelled) {
                subscriber.onError(cause);
            }
        }

        private void end() {
            phase = Phase.ENDED;
            target.abandon();
        }

        private void cancelSource() {
            @Nullable Subscription from = source;
            if (from != null) {
                from.cancel();
            }
        }

        private void releasePieces() {
            for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
                piece.release();
            }
        }
    }
}
