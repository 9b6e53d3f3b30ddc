package io.millrace.backend.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.netty.Connection;
import reactor.util.context.Context;

/**
 * The body of an HTTP response as a stream for one subscriber, who owns and releases each buffer. Fails with a
 * {@link TimeoutException} if the server sends nothing for the idle timeout while the subscriber has demand. Is
 * cancelled, and its connection closed, if nobody subscribes for long. Without demand there is no timeout. A server
 * that can be asked whether it lives is asked long before that ({@link #askWhenSilent}).
 *
 * <p>Signals come on the connection's event loop, where all state changes; requests come from any thread.
 */
public final class ResponseBody extends Flux<ByteBuf> {
    private static final AttributeKey<@Nullable ResponseBody> CURRENT = AttributeKey.valueOf("millrace.answer-body");

    private final Connection connection;
    private final HttpTimeouts deadlines;
    private final EventLoop loop;
    private final AtomicBoolean claimed = new AtomicBoolean();

    /** Set when its reader has got its subscription, and so may fail. */
    private volatile @Nullable BodySubscription reading;

    private volatile @Nullable Throwable abortReason;
    private volatile @Nullable Timeout timeout;
    private volatile @Nullable Question question;
    private volatile boolean ended;

    /**
     * The time of the last buffer, of the first demand after none, or of the body's arrival if nobody has subscribed.
     */
    private volatile long waitingSince = System.nanoTime();

    /**
     * A question to a server.
     *
     * @param after how long it has sent nothing then
     * @param alive completes if it lives, and fails if it does not say so
     */
    private record Question(Duration after, Mono<?> alive) {}

    private ResponseBody(Connection connection, HttpTimeouts deadlines) {
        this.connection = connection;
        this.deadlines = deadlines;
        this.loop = connection.channel().eventLoop();
    }

    /** Returns the body after the response headers that {@code connection} has just received. Starts its timeout. */
    static ResponseBody of(Connection connection, HttpTimeouts deadlines) {
        ResponseBody body = new ResponseBody(connection, deadlines);
        connection.channel().attr(CURRENT).set(body);
        body.schedule(deadlines.unclaimed().toNanos());
        return body;
    }

    /** Fails the body that {@code channel} is receiving, if there is one, whether its reader has demand or not. */
    static void abort(Channel channel, Throwable reason) {
        channel.eventLoop().execute(() -> {
            ResponseBody current = channel.attr(CURRENT).get();
            if (current != null && !current.ended) {
                current.abort(reason);
            }
        });
    }

    /**
     * Asks the server whether it lives each time it has sent nothing for {@code silence} although a reader waits, or
     * nobody has subscribed. If it does not say so, the body fails at once, and not only after the idle timeout, which
     * limits how long a server that lives may send nothing.
     *
     * @param alive asks; completes if the server lives, and fails otherwise, each within a time of its own, since the
     *     idle timeout does not run meanwhile
     */
    public void askWhenSilent(Duration silence, Mono<?> alive) {
        question = new Question(silence, alive);
        loop.execute(() -> {
            Timeout first = timeout;
            if (first != null) {
                first.cancel();
            }
            checkTime();
        });
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        if (!claimed.compareAndSet(false, true)) {
            Throwable reason = abortReason;
            Operators.error(reader, reason == null ? new IllegalStateException("a body is read once") : reason);
            return;
        }
        receive(reader);
    }

    /** Reads and drops the body: for responses without a body, so that the connection returns to the pool. */
    public Mono<Void> drain() {
        // Not passed on: "then" discards what it gets, and a subscriber may have asked for the release of what is
        // discarded.
        return handle((piece, nothing) -> piece.release()).then();
    }

    /** Cancels the body if nobody has subscribed; usually closes the connection. */
    public void discard() {
        if (claimed.compareAndSet(false, true)) {
            receive(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    cancel();
                }
            });
        }
    }

    private void receive(CoreSubscriber<? super ByteBuf> reader) {
        BodySubscription begun = new BodySubscription(reader);
        // At once, before the connection subscribes: a reader may request immediately, and a body may fail before.
        reader.onSubscribe(begun);
        reading = begun;
        Throwable reason = abortReason;
        if (reason != null) {
            // It came after the claim and found nobody to fail; if it did find the reader, that has ended by then.
            loop.execute(() -> begun.fail(reason));
        }
        connection.inbound().receiveObject().subscribe(begun);
    }

    private void schedule(long nanos) {
        timeout =
                HttpTimeouts.schedule(Math.min(nanos, deadlines.idle().toNanos()), () -> loop.execute(this::checkTime));
    }

    private void checkTime() {
        if (ended) {
            return;
        }
        Duration limit = reading != null ? deadlines.idle() : deadlines.unclaimed();
        long silent = silentNanos();
        long left = limit.toNanos() - silent;
        @Nullable Question known = question;
        if (left <= 0) {
            abort(deadlines.responseIdle());
        } else if (known == null) {
            schedule(left);
        } else if (silent < known.after().toNanos()) {
            schedule(Math.min(left, known.after().toNanos() - silent));
        } else {
            ask(known);
        }
    }

    /** Returns for how long nothing has come that is waited for. */
    private long silentNanos() {
        BodySubscription begun = reading;
        boolean waits = begun != null ? begun.hasDemand() : !claimed.get();
        return waits ? System.nanoTime() - waitingSince : 0;
    }

    private void ask(Question known) {
        long after = known.after().toNanos();
        known.alive()
                .subscribe(
                        alive -> {},
                        gone -> loop.execute(() -> giveUpIfSilentFor(after)),
                        () -> loop.execute(() -> scheduleUnlessEnded(after)));
    }

    private void scheduleUnlessEnded(long nanos) {
        if (!ended) {
            schedule(nanos);
        }
    }

    /** Fails the body if nothing has come meanwhile: bytes say as much as a response to the question. */
    private void giveUpIfSilentFor(long nanos) {
        if (!ended && silentNanos() >= nanos) {
            abort(new TimeoutException("the server sent nothing in the middle of the response, nor that it lives"));
        } else {
            checkTime();
        }
    }

    private void abort(Throwable reason) {
        abortReason = reason;
        BodySubscription begun = reading;
        if (begun == null) {
            discard();
        } else {
            begun.fail(reason);
        }
    }

    private void end() {
        ended = true;
        connection.channel().attr(CURRENT).compareAndSet(this, null);
        Timeout last = timeout;
        if (last != null) {
            last.cancel();
        }
    }

    private final class BodySubscription implements CoreSubscriber<Object>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final AtomicLong demand = new AtomicLong();
        private final Operators.DeferredSubscription pieces = new Operators.DeferredSubscription();

        BodySubscription(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        boolean hasDemand() {
            return demand.get() > 0;
        }

        @Override
        public Context currentContext() {
            return reader.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            pieces.set(subscription);
        }

        /** The connection releases {@code message} when this returns. */
        @Override
        public void onNext(Object message) {
            waitingSince = System.nanoTime();
            demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
            if (!ended) {
                ByteBuf piece = message instanceof ByteBufHolder holder ? holder.content() : (ByteBuf) message;
                reader.onNext(piece.retain());
            }
        }

        @Override
        public void onError(Throwable cause) {
            if (!ended) {
                end();
                reader.onError(cause);
            }
        }

        @Override
        public void onComplete() {
            if (!ended) {
                end();
                reader.onComplete();
            }
        }

        @Override
        public void request(long n) {
            if (n > 0 && demand.getAndUpdate(wanted -> Operators.addCap(wanted, n)) == 0) {
                waitingSince = System.nanoTime();
            }
            pieces.request(n);
        }

        @Override
        public void cancel() {
            end();
            pieces.cancel();
        }

        void fail(Throwable cause) {
            if (!ended) {
                cancel();
                reader.onError(cause);
            }
        }
    }
}
