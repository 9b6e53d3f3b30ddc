package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Streams the body of a request from the socket on demand, and fails if the client stops sending. A client that sends
 * nothing for too long while bytes are requested gets a RequestTimeout. The receiver records the end of the body,
 * because only after it the connection can take another request.
 */
final class TimedRequestBody extends Flux<ByteBuf> {
    private final Flux<ByteBuf> received;
    private final long announced;
    private final Channel channel;
    private final Duration timeout;
    private volatile boolean begun;
    private volatile boolean ended;
    private volatile long read;

    /**
     * @param announced the length in the headers; -1 if there is none
     * @param received emits buffers, owned by the subscriber, on the channel's event loop
     * @param timeout the time that a client may send nothing while bytes are requested
     */
    TimedRequestBody(long announced, Flux<ByteBuf> received, Channel channel, Duration timeout) {
        this.announced = announced;
        this.received = received;
        this.channel = channel;
        this.timeout = timeout;
    }

    /**
     * Returns whether the body was subscribed to, so that a client that waits for {@code 100-continue} was told to send
     * it.
     */
    boolean isBegun() {
        return begun;
    }

    /** Returns whether all bytes have been read, even if the subscriber cancelled after the last one. */
    boolean isEnded() {
        return ended || read == announced;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
        begun = true;
        received.subscribe(new Watched(actual));
    }

    /** Forwards all signals and watches the time between them. */
    private final class Watched implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> actual;
        /** The number of requested buffers that were not received yet. */
        private final AtomicLong awaited = new AtomicLong();

        private volatile long waitedSince = System.nanoTime();
        private volatile boolean done;
        private @Nullable Subscription upstream;
        private @Nullable Future<?> watch;

        Watched(CoreSubscriber<? super ByteBuf> actual) {
            this.actual = actual;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            long period = Math.max(1, timeout.toMillis() / 4);
            watch = channel.eventLoop().scheduleWithFixedDelay(this::check, period, period, TimeUnit.MILLISECONDS);
            actual.onSubscribe(this);
        }

        @Override
        public void onNext(ByteBuf piece) {
            long sum = read + piece.readableBytes();
            read = sum;
            if (done) {
                piece.release();
                return;
            }
            awaited.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
            waitedSince = System.nanoTime();
            actual.onNext(piece);
        }

        @Override
        public void onError(Throwable failure) {
            if (end()) {
                boolean left = ClientDisconnectedException.isCauseOf(failure);
                actual.onError(left ? new ClientDisconnectedException() : failure);
            }
        }

        /** Also called after a cancellation at any point of the body. */
        @Override
        public void onComplete() {
            if (end()) {
                ended = true;
                actual.onComplete();
            }
        }

        @Override
        public void request(long n) {
            if (awaited.getAndUpdate(before -> Operators.addCap(before, n)) == 0) {
                waitedSince = System.nanoTime();
            }
            requestMore(source -> source.request(n));
        }

        @Override
        public void cancel() {
            end();
            requestMore(Subscription::cancel);
        }

        /**
         * Runs a step on the event loop, where Reactor Netty has sent {@code 100 Continue} before it reads. A request
         * from another thread at just that moment is lost in the operator that joins the two, and the body would never
         * be read.
         */
        private void requestMore(Consumer<Subscription> what) {
            Subscription source = upstream;
            if (source == null) {
                return;
            }
            if (channel.eventLoop().inEventLoop()) {
                what.accept(source);
            } else {
                channel.eventLoop().execute(() -> what.accept(source));
            }
        }

        private void check() {
            if (awaited.get() > 0 && System.nanoTime() - waitedSince > timeout.toNanos() && end()) {
                Subscription source = upstream;
                if (source != null) {
                    source.cancel();
                }
                actual.onError(new S3Exception(S3ErrorCode.REQUEST_TIMEOUT));
            }
        }

        /** Returns true once. */
        private synchronized boolean end() {
            if (done) {
                return false;
            }
            done = true;
            Future<?> watching = watch;
            if (watching != null) {
                watching.cancel(false);
            }
            return true;
        }
    }
}
