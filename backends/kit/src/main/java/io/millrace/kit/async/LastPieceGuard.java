package io.millrace.kit.async;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A body stream that withholds its last buffer until the whole body is verified, so that nobody receives all of an
 * invalid one. The body is valid if it completes with exactly its length and the check passes; otherwise this fails.
 *
 * <p>Demand and cancellation are passed on; after the last piece one more is requested, because some publishers find
 * their end only then. The subscriber owns each piece; a piece that is held back is released on failure and
 * cancellation.
 */
public final class LastPieceGuard extends Flux<ByteBuf> {
    private final Publisher<ByteBuf> body;
    private final long length;
    private final Runnable check;

    /** The body is longer or shorter than announced. */
    public static final class WrongLengthException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WrongLengthException(String message) {
            super(message, null, false, false);
        }
    }

    private LastPieceGuard(Publisher<ByteBuf> body, long length, Runnable check) {
        this.body = body;
        this.length = length;
        this.check = check;
    }

    /**
     * Guards a body.
     *
     * @param length its length in bytes
     * @param check called once all bytes have come and the body has completed; throws if the content is wrong
     */
    public static Flux<ByteBuf> of(Publisher<ByteBuf> body, long length, Runnable check) {
        return new LastPieceGuard(body, length, check);
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        body.subscribe(new GuardingSubscriber(reader));
    }

    private final class GuardingSubscriber implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final AtomicReference<@Nullable ByteBuf> held = new AtomicReference<>();
        private Subscription upstream = Operators.emptySubscription();
        private volatile boolean cancelled;
        private long left = length;
        private boolean ended;

        GuardingSubscriber(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        @Override
        public Context currentContext() {
            return reader.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            reader.onSubscribe(this);
            if (length == 0) {
                subscription.request(1);
            }
        }

        @Override
        public void onNext(ByteBuf piece) {
            int bytes = piece.readableBytes();
            if (ended || bytes > left) {
                piece.release();
                upstream.cancel();
                fail(new WrongLengthException("the body is longer than the announced %d bytes".formatted(length)));
                return;
            }
            left -= bytes;
            if (bytes == 0) {
                piece.release();
                upstream.request(1);
            } else if (left > 0) {
                reader.onNext(piece);
            } else {
                hold(piece);
            }
        }

        private void hold(ByteBuf last) {
            held.set(last);
            if (cancelled) {
                releaseHeld();
            } else {
                upstream.request(1);
            }
        }

        @Override
        public void onError(Throwable failure) {
            fail(failure);
        }

        @Override
        public void onComplete() {
            if (ended) {
                return;
            }
            try {
                requireWhole();
                check.run();
            } catch (RuntimeException wrong) {
                fail(wrong);
                return;
            }
            ended = true;
            ByteBuf last = held.getAndSet(null);
            if (last != null) {
                reader.onNext(last);
            }
            reader.onComplete();
        }

        private void requireWhole() {
            if (left > 0) {
                throw new WrongLengthException("the body ended %d bytes short of %d".formatted(left, length));
            }
        }

        @Override
        public void request(long pieces) {
            upstream.request(pieces);
        }

        @Override
        public void cancel() {
            cancelled = true;
            upstream.cancel();
            releaseHeld();
        }

        private void fail(Throwable failure) {
            if (!ended) {
                ended = true;
                releaseHeld();
                reader.onError(failure);
            }
        }

        private void releaseHeld() {
            ByteBuf last = held.getAndSet(null);
            if (last != null) {
                last.release();
            }
        }
    }
}
