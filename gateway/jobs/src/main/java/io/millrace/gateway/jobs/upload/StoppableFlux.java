package io.millrace.gateway.jobs.upload;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Pieces that fail once something else completes. Reactor's {@code takeUntilOther} would drop a piece that arrives at that moment, and
 * with it its buffer; here it is released.
 */
final class StoppableFlux extends Flux<ByteBuf> {
    private final Flux<ByteBuf> pieces;
    private final Mono<Void> stop;
    private final Supplier<? extends Throwable> failure;

    /** @param failure made for each subscriber */
    StoppableFlux(Flux<ByteBuf> pieces, Mono<Void> stop, Supplier<? extends Throwable> failure) {
        this.pieces = pieces;
        this.stop = stop;
        this.failure = failure;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        pieces.subscribe(new Relay(reader));
    }

    private enum State {
        /** Nothing is being handed on. */
        WAITING,
        /** A piece is being handed on, by the thread of the pieces. */
        EMITTING,
        /** The same, and that thread has to fail behind it. */
        STOPPING,
        /** Nothing more is handed on. */
        ENDED
    }

    private final class Relay implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
        private final Disposable.Swap watch = Disposables.swap();
        private Subscription source = Operators.emptySubscription();

        Relay(CoreSubscriber<? super ByteBuf> reader) {
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
            watch.update(stop.subscribe(nothing -> {}, ignored -> {}, this::stop));
        }

        @Override
        public void onNext(ByteBuf piece) {
            State before = state.get();
            if (before == State.WAITING && state.compareAndSet(State.WAITING, State.EMITTING)) {
                reader.onNext(piece);
                if (!state.compareAndSet(State.EMITTING, State.WAITING)
                        && state.compareAndSet(State.STOPPING, State.ENDED)) {
                    fail();
                }
            } else if (before == State.EMITTING) {
                // The reader has asked for it while it took the one before.
                reader.onNext(piece);
            } else {
                piece.release();
            }
        }

        @Override
        public void onError(Throwable cause) {
            if (end()) {
                reader.onError(cause);
            }
        }

        @Override
        public void onComplete() {
            if (end()) {
                reader.onComplete();
            }
        }

        @Override
        public void request(long pieces) {
            source.request(pieces);
        }

        @Override
        public void cancel() {
            end();
            source.cancel();
        }

        private void stop() {
            State before = state.getAndUpdate(now -> switch (now) {
                case WAITING, ENDED -> State.ENDED;
                case EMITTING, STOPPING -> State.STOPPING;
            });
            if (before == State.WAITING) {
                fail();
            }
        }

        private void fail() {
            source.cancel();
            watch.dispose();
            reader.onError(failure.get());
        }

        private boolean end() {
            watch.dispose();
            return state.getAndSet(State.ENDED) != State.ENDED;
        }
    }
}
