package io.millrace.backend.testkit.fault;

import io.netty.buffer.ByteBuf;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * A body that requests each piece only after a gate has opened. The demand waits, not a piece, so nothing must be
 * released when the reader cancels.
 */
final class GatedBody extends Flux<ByteBuf> {
    private final Flux<ByteBuf> body;
    private final LongFunction<Publisher<?>> gates;

    /**
     * @param gates returns what must complete before the next piece is requested, given the bytes delivered so far
     */
    GatedBody(Flux<ByteBuf> body, LongFunction<Publisher<?>> gates) {
        this.body = body;
        this.gates = gates;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        body.subscribe(new Gate(reader, gates));
    }

    private static final class Gate implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final LongFunction<Publisher<?>> gates;
        private Subscription body = Operators.emptySubscription();
        private long wanted;
        private long through;
        private boolean busy;
        private boolean asking;
        private boolean again;
        private boolean cancelled;
        private @Nullable Disposable waiting;

        Gate(CoreSubscriber<? super ByteBuf> reader, LongFunction<Publisher<?>> gates) {
            this.reader = reader;
            this.gates = gates;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            body = subscription;
            reader.onSubscribe(this);
        }

        @Override
        public void request(long count) {
            synchronized (this) {
                wanted = Operators.addCap(wanted, count);
            }
            next();
        }

        @Override
        public void onNext(ByteBuf piece) {
            synchronized (this) {
                through += piece.readableBytes();
                wanted--;
                busy = false;
            }
            reader.onNext(piece);
            next();
        }

        @Override
        public void onError(Throwable failure) {
            reader.onError(failure);
        }

        @Override
        public void onComplete() {
            reader.onComplete();
        }

        @Override
        public void cancel() {
            Disposable gate;
            synchronized (this) {
                cancelled = true;
                gate = waiting;
            }
            if (gate != null) {
                gate.dispose();
            }
            body.cancel();
        }

        /**
         * Requests pieces as long as gates are open. A reentrant or concurrent call only makes it check once more,
         * without recursion.
         */
        private void next() {
            synchronized (this) {
                again = true;
                if (asking) {
                    return;
                }
                asking = true;
            }
            while (goesOn()) {
                ask();
            }
        }

        private synchronized boolean goesOn() {
            asking = again;
            again = false;
            return asking;
        }

        private void ask() {
            long passed;
            synchronized (this) {
                if (busy || cancelled || wanted == 0) {
                    return;
                }
                busy = true;
                passed = through;
            }
            Disposable gate =
                    Flux.from(gates.apply(passed)).subscribe(ignored -> {}, this::fail, () -> body.request(1));
            synchronized (this) {
                waiting = gate;
                if (!cancelled) {
                    return;
                }
            }
            gate.dispose();
        }

        private void fail(Throwable failure) {
            body.cancel();
            reader.onError(failure);
        }
    }
}
