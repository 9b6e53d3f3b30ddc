package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Takes a body in and brings it to a {@link Target} on the pool. A few pieces are asked for at a time, so that a slow disk
 * slows the client and nothing piles up; a thread of the pool is held only while there are pieces. The target's end has come
 * when all pieces are there, and no more and no fewer bytes than announced; in any other case, and when the subscriber leaves,
 * it is abandoned.
 */
final class Receiving<T> extends Mono<T> {
    /** Pieces of 64 KiB at most that are on their way: 256 KiB. */
    private static final int WINDOW = 4;

    /** Pieces an upload may write before the next one has its turn. */
    private static final int TURN = 16;

    private final Supplier<Target<T>> targets;
    private final UploadBody body;
    private final FilePool pool;

    /** Where the bytes go. Used by one thread at a time, on the pool; {@link #abandon} may come at any time but during another call. */
    interface Target<T> {
        /** Comes first; the body is not touched if it fails. */
        void open() throws IOException;

        /** The piece stays the caller's. */
        void write(ByteBuf piece) throws IOException;

        /** Comes last: what was written is made whole. */
        T finish() throws IOException;

        /** Takes back what was not finished. Comes behind a failure of {@link #finish} too, and then must not undo what happened. */
        void abandon();
    }

    /**
     * @param targets asked once for each subscription
     */
    Receiving(Supplier<Target<T>> targets, UploadBody body, FilePool pool) {
        this.targets = targets;
        this.body = body;
        this.pool = pool;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        subscriber.onSubscribe(new Reception(subscriber, targets.get()));
    }

    private enum Phase {
        NEW,
        RECEIVING,
        ENDED
    }

    private final class Reception implements Subscription, CoreSubscriber<ByteBuf>, Runnable {
        private final CoreSubscriber<? super T> subscriber;
        private final Target<T> target;
        private final AtomicBoolean asked = new AtomicBoolean();
        /** How often the pool was called since it began; only the first call sends a task there. */
        private final AtomicInteger calls = new AtomicInteger();

        private final Queue<ByteBuf> pieces = new ConcurrentLinkedQueue<>();
        private volatile @Nullable Subscription source;
        private volatile @Nullable Throwable failure;
        private volatile boolean complete;
        private volatile boolean cancelled;
        private volatile boolean poolIsClosed;

        private Phase phase = Phase.NEW;
        private long received;

        Reception(CoreSubscriber<? super T> subscriber, Target<T> target) {
            this.subscriber = subscriber;
            this.target = target;
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void request(long count) {
            if (asked.compareAndSet(false, true)) {
                proceed();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            cancelSource();
            proceed();
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
                proceed();
            }
        }

        @Override
        public void onError(Throwable error) {
            failure = error;
            proceed();
        }

        @Override
        public void onComplete() {
            complete = true;
            proceed();
        }

        @Override
        public void run() {
            int seen = calls.get();
            do {
                if (!turn()) {
                    submit();
                    return;
                }
                seen = calls.addAndGet(-seen);
            } while (seen != 0);
        }

        private void proceed() {
            if (calls.getAndIncrement() == 0) {
                submit();
            }
        }

        private void submit() {
            try {
                pool.execute(this);
            } catch (RejectedExecutionException e) {
                // The pool runs no task of ours now, so this thread may.
                poolIsClosed = true;
                fail(FilePool.closed());
                releasePieces();
            }
        }

        /** Whether there is nothing more to do for now. */
        private boolean turn() {
            for (int written = 0; phase != Phase.ENDED; written++) {
                @Nullable Throwable failed = failure;
                if (cancelled) {
                    end();
                } else if (failed != null) {
                    fail(failed);
                } else if (phase == Phase.NEW) {
                    open();
                } else if (written >= TURN) {
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
                fail(pool.failure(e));
            }
        }

        /** Whether there was a piece, or the end. */
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
                            Kind.UNEXPECTED, "a body of %d bytes brought more".formatted(body.length()));
                }
                target.write(piece);
            } catch (Exception | Error e) {
                fail(pool.failure(e));
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
                            Kind.UNEXPECTED, "a body of %d bytes ended behind %d".formatted(body.length(), received));
                }
                result = target.finish();
            } catch (Exception | Error e) {
                fail(pool.failure(e));
                return;
            }
            end();
            if (!cancelled) {
                subscriber.onNext(result);
                subscriber.onComplete();
            }
        }

        private void fail(Throwable told) {
            if (phase == Phase.ENDED) {
                return;
            }
            end();
            cancelSource();
            if (!cancelled) {
                subscriber.onError(told);
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
