package io.millrace.kit.async;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * A body stream that delays each buffer until a {@link RateLimiter} grants its bytes. Holds one buffer at most, and
 * requests the next when that is gone. Each buffer is either emitted, and then its subscriber's, or released here,
 * never both: Reactor's operators may discard a buffer that they have just emitted if another thread cancels at that
 * moment.
 */
final class PacedFlux extends Flux<ByteBuf> {
    private final Flux<ByteBuf> pieces;
    private final RateLimiter limiter;

    PacedFlux(Flux<ByteBuf> pieces, RateLimiter limiter) {
        this.pieces = pieces;
        this.limiter = limiter;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        pieces.subscribe(new PacingSubscriber(reader));
    }

    /**
     * Signals come from any thread and set fields; the loop does the rest, so that a buffer belongs to one thread at a
     * time.
     */
    private final class PacingSubscriber implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final DrainLoop loop = new DrainLoop(this::process);
        private final AtomicLong demand = new AtomicLong();
        private final AtomicReference<@Nullable ByteBuf> arrived = new AtomicReference<>();
        private volatile boolean granted;
        private volatile boolean cancelled;
        private volatile boolean ended;
        private volatile @Nullable Throwable failure;
        private Subscription source = Operators.emptySubscription();

        // Used only by the thread that runs the loop.
        private @Nullable ByteBuf held;
        private @Nullable Disposable timer;
        private boolean requested;
        private boolean over;

        PacingSubscriber(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        @Override
        public Context currentContext() {
            return reader.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            source = subscription;
            reader.onSubscribe(this);
        }

        @Override
        public void onNext(ByteBuf piece) {
            ByteBuf unread = arrived.getAndSet(piece);
            if (unread != null) {
                unread.release();
                failure = new IllegalStateException("the publisher of the body sent more buffers than were requested");
            }
            loop.signal();
        }

        @Override
        public void onError(Throwable cause) {
            failure = cause;
            loop.signal();
        }

        @Override
        public void onComplete() {
            ended = true;
            loop.signal();
        }

        @Override
        public void request(long more) {
            if (Operators.validate(more)) {
                demand.accumulateAndGet(more, Operators::addCap);
                loop.signal();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            loop.signal();
        }

        private boolean process() {
            // Read before "arrived": the end follows the last buffer, so if the end is seen, that buffer is.
            boolean sawEnd = ended;
            ByteBuf piece = arrived.getAndSet(null);
            if (over || cancelled || failure != null) {
                release(piece);
                stop(failure);
                return true;
            }
            if (piece != null) {
                requested = false;
                hold(piece);
            }
            if (held != null && granted) {
                emit(held);
            }
            if (held == null && !over && !cancelled) {
                requestOrComplete(sawEnd);
            }
            return true;
        }

        private void hold(ByteBuf piece) {
            held = piece;
            long wait = limiter.reserve(piece.readableBytes());
            granted = wait <= 0;
            if (granted) {
                return;
            }
            try {
                timer = Schedulers.parallel().schedule(this::grant, wait, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closed) {
                stop(closed);
            }
        }

        private void grant() {
            granted = true;
            loop.signal();
        }

        private void emit(ByteBuf piece) {
            held = null;
            timer = null;
            if (demand.get() != Long.MAX_VALUE) {
                demand.decrementAndGet();
            }
            reader.onNext(piece);
        }

        private void requestOrComplete(boolean sawEnd) {
            if (sawEnd) {
                over = true;
                reader.onComplete();
            } else if (demand.get() > 0 && !requested) {
                requested = true;
                source.request(1);
            }
        }

        /** Ends early: with an error, or silently if the reader has cancelled. */
        private void stop(@Nullable Throwable cause) {
            if (over) {
                return;
            }
            over = true;
            source.cancel();
            if (timer != null) {
                timer.dispose();
            }
            release(held);
            held = null;
            if (cause != null && !cancelled) {
                reader.onError(cause);
            }
        }

        private static void release(@Nullable ByteBuf piece) {
            if (piece != null) {
                piece.release();
            }
        }
    }
}
