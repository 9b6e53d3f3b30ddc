package io.millrace.gateway.jobs;

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
 * Relays buffers until a stop signal, and fails then. Reactor's {@code takeUntilOther} would drop a buffer that arrives
 * at that moment and leak it; this class releases it.
 */
final class StoppableFlux extends Flux<ByteBuf> {
    private final Flux<ByteBuf> pieces;
    private final Mono<Void> stop;
    private final Supplier<? extends Throwable> failure;

    /**
     * Creates a relay.
     *
     * @param failure makes the error of each subscriber
     */
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
        /** No buffer is being relayed. */
        WAITING,
        /** The source's thread is relaying a buffer. */
        EMITTING,
        /** The source's thread is relaying a buffer and fails the subscriber after that. */
        STOPPING,
        /** Nothing more is relayed. */
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
                // The subscriber requested this buffer inside its onNext for the previous one.
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
