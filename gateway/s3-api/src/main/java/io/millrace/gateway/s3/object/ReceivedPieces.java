package io.millrace.gateway.s3.object;

import io.millrace.kit.async.DrainLoop;
import io.netty.buffer.ByteBuf;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * A stream for one subscriber of buffers that have come from the socket: at most what it has requested, and the one in
 * which the form's fields ended. Each buffer is either emitted, and then its subscriber's, or released here, never
 * both; Reactor's unicast sink discards one twice if another thread cancels while it arrives.
 */
final class ReceivedPieces extends Flux<ByteBuf> implements Subscription {
    private final Subscription upstream;
    private final DrainLoop loop = new DrainLoop(this::process);
    private final Queue<ByteBuf> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicLong demand = new AtomicLong();
    private final AtomicBoolean subscribed = new AtomicBoolean();
    private volatile @Nullable CoreSubscriber<? super ByteBuf> reader;
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;

    /** Used only by the thread that runs the loop. */
    private boolean over;

    /** @param upstream of the buffers; takes the requests of the subscriber, and its cancel */
    ReceivedPieces(Subscription upstream) {
        this.upstream = upstream;
    }

    void onNext(ByteBuf piece) {
        arrived.add(piece);
        loop.signal();
    }

    void onError(Throwable broken) {
        failure = broken;
        ended = true;
        loop.signal();
    }

    void onComplete() {
        ended = true;
        loop.signal();
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> to) {
        if (!subscribed.compareAndSet(false, true)) {
            Operators.error(to, new IllegalStateException("a body is read once"));
            return;
        }
        to.onSubscribe(this);
        reader = to;
        loop.signal();
    }

    @Override
    public void request(long pieces) {
        if (Operators.validate(pieces)) {
            demand.accumulateAndGet(pieces, Operators::addCap);
            upstream.request(pieces);
            loop.signal();
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        upstream.cancel();
        loop.signal();
    }

    private boolean process() {
        CoreSubscriber<? super ByteBuf> to = reader;
        if (cancelled || over) {
            release();
        } else if (to == null) {
            if (failure != null) {
                // Of a body that has broken off nobody may come; who does gets the failure.
                release();
            }
        } else {
            // Read before the buffers: the end follows the last one, so if the end is seen, that buffer is.
            boolean sawEnd = ended;
            emit(to);
            if (sawEnd && arrived.isEmpty() && !cancelled) {
                end(to);
            }
        }
        return true;
    }

    private void emit(CoreSubscriber<? super ByteBuf> to) {
        while (demand.get() > 0 && !cancelled) {
            ByteBuf piece = arrived.poll();
            if (piece == null) {
                return;
            }
            demand.updateAndGet(before -> before == Long.MAX_VALUE ? before : before - 1);
            to.onNext(piece);
        }
    }

    private void end(CoreSubscriber<? super ByteBuf> to) {
        over = true;
        Throwable broken = failure;
        if (broken == null) {
            to.onComplete();
        } else {
            to.onError(broken);
        }
    }

    private void release() {
        for (ByteBuf piece = arrived.poll(); piece != null; piece = arrived.poll()) {
            piece.release();
        }
    }
}
