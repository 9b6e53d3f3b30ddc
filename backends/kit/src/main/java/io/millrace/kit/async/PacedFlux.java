package io.millrace.kit.async;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

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

    private final class PacingSubscriber extends BufferStage {
        private volatile boolean granted;
        private @Nullable ByteBuf held;
        private @Nullable Disposable timer;

        PacingSubscriber(CoreSubscriber<? super ByteBuf> reader) {
            super(reader);
        }

        @Override
        protected void step(@Nullable ByteBuf piece, boolean sawEnd) {
            if (piece != null) {
                hold(piece);
            }
            ByteBuf next = held;
            if (next != null && granted) {
                held = null;
                timer = null;
                emit(next);
            }
            if (held == null && !isOver() && !isCancelled()) {
                requestOrComplete(sawEnd);
            }
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
            signal();
        }

        private void requestOrComplete(boolean sawEnd) {
            if (sawEnd) {
                complete();
            } else {
                requestNext();
            }
        }

        @Override
        protected void release() {
            if (timer != null) {
                timer.dispose();
            }
            if (held != null) {
                held.release();
                held = null;
            }
        }
    }
}
