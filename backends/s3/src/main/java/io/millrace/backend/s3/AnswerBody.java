package io.millrace.backend.s3;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import io.netty.util.Timeout;
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
 * The body of an answer for one subscriber, who owns each piece and releases it. It fails with a {@link TimeoutException}
 * when the server owes a piece for too long, and is given up, with its connection, when nobody reads it for as long. A reader
 * that wants nothing has all the time it takes.
 *
 * <p>Signals come on the connection's event loop, where all state changes; requests come from any thread.
 */
final class AnswerBody extends Flux<ByteBuf> {
    private static final AttributeKey<@Nullable AnswerBody> CURRENT = AttributeKey.valueOf("millrace.answer-body");

    private final Connection connection;
    private final Deadlines deadlines;
    private final EventLoop loop;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private volatile @Nullable Reading reading;
    private volatile @Nullable Throwable givenUp;
    private volatile @Nullable Timeout armed;
    private volatile boolean ended;

    /** When the last piece came, the reader began to want one, or, without a reader, the body was here. */
    private volatile long since = System.nanoTime();

    private AnswerBody(Connection connection, Deadlines deadlines) {
        this.connection = connection;
        this.deadlines = deadlines;
        this.loop = connection.channel().eventLoop();
    }

    /** What comes behind the head that was just received on {@code connection}. Its time runs from now on. */
    static AnswerBody of(Connection connection, Deadlines deadlines) {
        AnswerBody body = new AnswerBody(connection, deadlines);
        connection.channel().attr(CURRENT).set(body);
        body.arm(deadlines.idle().toNanos());
        return body;
    }

    /** Fails the body that is on its way over {@code channel}, if there is one, whether its reader wants a piece or not. */
    static void giveUp(Channel channel, Throwable reason) {
        channel.eventLoop().execute(() -> {
            AnswerBody current = channel.attr(CURRENT).get();
            if (current != null && !current.ended) {
                current.giveUp(reason);
            }
        });
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        if (!claimed.compareAndSet(false, true)) {
            Throwable reason = givenUp;
            Operators.error(reader, reason == null ? new IllegalStateException("a body is read once") : reason);
            return;
        }
        Reading begun = new Reading(reader);
        reading = begun;
        connection.inbound().receiveObject().subscribe(begun);
    }

    /** Takes it to its end and throws it away: for answers that have no body, after which the connection is free. */
    Mono<Void> drain() {
        return doOnNext(ByteBuf::release).then();
    }

    /** Gives it up if nobody reads it, and mostly the connection with it. */
    void discard() {
        subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }

            @Override
            protected void hookOnError(Throwable cause) {
                // Somebody reads it, or it is given up already.
            }
        });
    }

    private void arm(long nanos) {
        armed = Deadlines.in(nanos, () -> loop.execute(this::checkTime));
    }

    private void checkTime() {
        if (ended) {
            return;
        }
        Reading begun = reading;
        boolean waits = begun != null ? begun.isOwed() : !claimed.get();
        long left = deadlines.idle().toNanos() - (waits ? System.nanoTime() - since : 0);
        if (left > 0) {
            arm(left);
            return;
        }
        giveUp(deadlines.silence());
    }

    private void giveUp(Throwable reason) {
        givenUp = reason;
        Reading begun = reading;
        if (begun == null) {
            discard();
        } else {
            begun.fail(reason);
        }
    }

    private void end() {
        ended = true;
        connection.channel().attr(CURRENT).compareAndSet(this, null);
        Timeout last = armed;
        if (last != null) {
            last.cancel();
        }
    }

    private final class Reading implements CoreSubscriber<Object>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final AtomicLong demand = new AtomicLong();
        private Subscription pieces = Operators.emptySubscription();

        Reading(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        boolean isOwed() {
            return demand.get() > 0;
        }

        @Override
        public Context currentContext() {
            return reader.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (ended) {
                subscription.cancel();
                return;
            }
            pieces = subscription;
            reader.onSubscribe(this);
        }

        /** The connection releases {@code message} when this returns. */
        @Override
        public void onNext(Object message) {
            since = System.nanoTime();
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
                since = System.nanoTime();
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
