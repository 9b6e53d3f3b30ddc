package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A stream that goes as fast as a client takes or sends it, from the request to the end of its body. It knows for how
 * long the client has done nothing, and can be ended for another one. Thread-safe.
 */
final class ClientStream {
    /**
     * Fewer bytes from a client are as good as none: one that sends a byte a second holds its connection as a silent
     * one does.
     */
    private static final int STEP = 16 << 10;

    private final Party party;
    private final List<ClientStreams> bounds;
    private final LongSupplier nanoTime;
    private final Supplier<BackendException> ending;

    /** Since when the client has done nothing, if it is its turn. */
    private volatile long since;

    private volatile boolean isClientsTurn;
    private volatile boolean isClosed;
    private volatile boolean givesWay;
    private volatile @Nullable Runnable end;

    /**
     * @param bounds those that count it, always in the same order
     * @param ending creates the failure of a stream that is ended for another
     */
    ClientStream(Party party, List<ClientStreams> bounds, LongSupplier nanoTime, Supplier<BackendException> ending) {
        this.party = party;
        this.bounds = bounds;
        this.nanoTime = nanoTime;
        this.ending = ending;
    }

    Party party() {
        return party;
    }

    /** Has the stream counted, unless that is too many or it is {@linkplain #close closed}; returns whether it is. */
    boolean enter() {
        boolean entered = ClientStreams.enter(this, bounds);
        if (isClosed) {
            leave();
        }
        return entered && !isClosed;
    }

    /** Ends the count, now and for ever. */
    void close() {
        isClosed = true;
        leave();
    }

    private void leave() {
        bounds.forEach(bound -> bound.leave(this));
    }

    /** Returns for how long the client has done nothing although it is its turn. */
    long idleNanos(long now) {
        return isClientsTurn ? now - since : 0;
    }

    /** Ends the stream for another one. */
    void giveWay() {
        givesWay = true;
        close();
        Runnable now = end;
        if (now != null) {
            now.run();
        }
    }

    /** Returns the body of a response, which the client takes; the stream ends with it. */
    Flux<ByteBuf> taken(Flux<ByteBuf> body) {
        clientsTurn();
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
                body.subscribe(new Reader(actual, false));
            }
        };
    }

    /** Returns the body of an upload, which the client sends. */
    Flux<ByteBuf> sent(Flux<ByteBuf> body) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
                body.subscribe(new Reader(actual, true));
            }
        };
    }

    /** Returns a body that fails at once, after it has given {@code body} back. */
    static Flux<ByteBuf> refused(Flux<ByteBuf> body, Supplier<BackendException> failure) {
        return Flux.defer(() -> {
            body.subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    cancel();
                }
            });
            return Flux.error(failure.get());
        });
    }

    private void clientsTurn() {
        since = nanoTime.getAsLong();
        isClientsTurn = true;
    }

    /**
     * A subscriber that passes all on and watches whose turn it is. The end for another stream comes from any thread:
     * it waits for a buffer that is just being passed on, and nothing follows it.
     */
    private final class Reader implements CoreSubscriber<ByteBuf>, Subscription {
        /** Set in the state once nothing may follow; below it is the number of buffers that are being passed on. */
        private static final int CLOSED = Integer.MIN_VALUE;

        /** Set in the state while a stream that is ended for another one waits for these buffers. */
        private static final int GIVES_WAY = 1 << 30;

        private final CoreSubscriber<? super ByteBuf> actual;
        private final boolean isUpload;
        private final AtomicInteger state = new AtomicInteger();
        private @Nullable Subscription upstream;
        private long wanted;

        /** The bytes since the last step of an upload. */
        private int bytes;

        /** When the server stopped to want more of an upload. */
        private long pausedAt;

        Reader(CoreSubscriber<? super ByteBuf> actual, boolean isUpload) {
            this.actual = actual;
            this.isUpload = isUpload;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            pausedAt = nanoTime.getAsLong();
            since = pausedAt;
            actual.onSubscribe(this);
            end = this::giveWay;
            if (givesWay) {
                giveWay();
            }
        }

        @Override
        public void onNext(ByteBuf piece) {
            int before = state.getAndUpdate(now -> isOpen(now) ? now + 1 : now);
            if (!isOpen(before)) {
                piece.release();
                return;
            }
            came(piece.readableBytes());
            actual.onNext(piece);
            if (state.decrementAndGet() == GIVES_WAY) {
                fail();
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (close()) {
                actual.onError(failure);
            }
        }

        @Override
        public void onComplete() {
            if (close()) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long n) {
            requested(n);
            Subscription source = upstream;
            if (source != null) {
                source.request(n);
            }
        }

        @Override
        public void cancel() {
            boolean unused = close();
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
        }

        private static boolean isOpen(int state) {
            return state >= 0 && state < GIVES_WAY;
        }

        /** Lets nothing follow; returns whether something could. An upload counts until its response. */
        private boolean close() {
            isClientsTurn = false;
            if (!isUpload) {
                ClientStream.this.close();
            }
            return state.getAndUpdate(now -> now | CLOSED) >= 0;
        }

        private void giveWay() {
            if (state.getAndUpdate(now -> now < 0 ? now : now | GIVES_WAY) == 0) {
                fail();
            }
        }

        private void fail() {
            isClientsTurn = false;
            if (!state.compareAndSet(GIVES_WAY, CLOSED)) {
                return;
            }
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
            actual.onError(ending.get());
        }

        private synchronized void requested(long n) {
            if (!isOpen(state.get())) {
                // All of an upload is sent: what its writer still asks for is not for its client to bring.
                return;
            }
            if (wanted == 0) {
                long now = nanoTime.getAsLong();
                since = isUpload ? since + now - pausedAt : now;
                isClientsTurn = isUpload;
            }
            wanted = Operators.addCap(wanted, n);
        }

        private synchronized void came(int length) {
            long now = nanoTime.getAsLong();
            bytes += length;
            if (bytes >= STEP) {
                bytes = 0;
                since = now;
            }
            if (wanted != Long.MAX_VALUE && --wanted == 0) {
                pausedAt = now;
                isClientsTurn = !isUpload;
                since = isUpload ? since : now;
            }
        }
    }
}
