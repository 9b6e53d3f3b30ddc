package io.millrace.auth.signature;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** Subscriber that stands for a backend: it requests pieces as a test directs, and releases each. */
final class Taker implements CoreSubscriber<ByteBuf> {
    private final AtomicLong taken = new AtomicLong();
    volatile boolean completed;
    volatile @Nullable Throwable failure;
    int cancelAfter = Integer.MAX_VALUE;
    private int pieces;
    private Subscription subscription = Operators.emptySubscription();

    /** Returns the number of bytes received. */
    long taken() {
        return taken.get();
    }

    void request(long wanted) {
        subscription.request(wanted);
    }

    void cancel() {
        subscription.cancel();
    }

    boolean hasEnded() {
        return completed || failure != null;
    }

    @Override
    public void onSubscribe(Subscription to) {
        subscription = to;
    }

    @Override
    public void onNext(ByteBuf piece) {
        taken.addAndGet(piece.readableBytes());
        piece.release();
        if (++pieces == cancelAfter) {
            cancel();
        }
    }

    @Override
    public void onError(Throwable error) {
        failure = error;
    }

    @Override
    public void onComplete() {
        completed = true;
    }
}
