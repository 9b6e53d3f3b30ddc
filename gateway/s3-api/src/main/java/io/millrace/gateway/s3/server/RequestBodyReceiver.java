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
import reactor.netty.channel.AbortedException;
import reactor.util.context.Context;

/**
 * The body of a request, as it is read from the socket: no more than its subscriber asks for. Watches the client: one that is
 * waited for and sends nothing for too long ends it with a RequestTimeout. Its end is noted, since only then the connection can
 * take another request.
 */
final class RequestBodyReceiver extends Flux<ByteBuf> {
    private final Flux<ByteBuf> received;
    private final long announced;
    private final Channel channel;
    private final Duration patience;
    private volatile boolean begun;
    private volatile boolean ended;
    private volatile long read;

    /**
     * @param announced bytes that the head announces; -1 if it does not
     * @param received brings pieces that its subscriber owns, on the channel's event loop
     * @param patience how long a client may send nothing while it is waited for
     */
    RequestBodyReceiver(long announced, Flux<ByteBuf> received, Channel channel, Duration patience) {
        this.announced = announced;
        this.received = received;
        this.channel = channel;
        this.patience = patience;
    }

    /** Whether anybody has asked for it: a client that waits for {@code 100-continue} has been told to go on. */
    boolean isBegun() {
        return begun;
    }

    /** Whether all of it has been read; also of one that was given up behind its last byte. */
    boolean isEnded() {
        return ended || read == announced;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
        begun = true;
        received.subscribe(new Watched(actual));
    }

    /** Passes everything on. */
    private final class Watched implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> actual;
        /** Pieces that were asked for and have not come. */
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
            long period = Math.max(1, patience.toMillis() / 4);
            watch = channel.eventLoop().scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
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
                boolean left = failure instanceof AbortedException;
                actual.onError(left ? new ClientDisconnectedException() : failure);
            }
        }

        /** Comes also behind a cancel, wherever in the body that was. */
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
            ask(source -> source.request(n));
        }

        @Override
        public void cancel() {
            end();
            ask(Subscription::cancel);
        }

        /**
         * On the loop, where Reactor Netty has sent {@code 100 Continue} before it reads: a request from another thread in just this
         * moment is lost in the operator that joins the two, and the body would never be read.
         */
        private void ask(Consumer<Subscription> what) {
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

        private void look() {
            if (awaited.get() > 0 && System.nanoTime() - waitedSince > patience.toNanos() && end()) {
                Subscription source = upstream;
                if (source != null) {
                    source.cancel();
                }
                actual.onError(new S3Exception(S3ErrorCode.REQUEST_TIMEOUT));
            }
        }

        /** True once. */
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
