package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.kit.async.DrainLoop;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Reactive stage that decodes a request body: subscribes to the raw buffers and emits the decoded ones to its
 * subscriber.
 *
 * <p>Signals come from any thread. Each sets a field of its own and signals the loop. Decoder, downstream and held
 * buffers therefore belong to one thread at a time. At most one raw piece is requested at a time, when the downstream
 * has demand and no piece is ready.
 */
final class DecodingSubscriber implements CoreSubscriber<ByteBuf>, Subscription {
    private final CoreSubscriber<? super ByteBuf> downstream;
    private final VerifyingBodyDecoder decoder;
    private final Runnable whenVerified;
    private final DrainLoop loop = new DrainLoop(this::process);
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicReference<@Nullable ByteBuf> arrived = new AtomicReference<>();
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;
    private Subscription upstream = Operators.emptySubscription();

    // Used only by the thread that runs the loop.
    private boolean requested;
    private boolean verified;
    private boolean over;

    DecodingSubscriber(
            CoreSubscriber<? super ByteBuf> downstream, VerifyingBodyDecoder decoder, Runnable whenVerified) {
        this.downstream = downstream;
        this.decoder = decoder;
        this.whenVerified = whenVerified;
    }

    @Override
    public Context currentContext() {
        return downstream.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (upstream == Operators.emptySubscription()) {
            upstream = subscription;
            downstream.onSubscribe(this);
        } else {
            subscription.cancel();
        }
    }

    @Override
    public void onNext(ByteBuf in) {
        ByteBuf unread = arrived.getAndSet(in);
        if (unread != null) {
            unread.release();
            failure = new IllegalStateException("the publisher of the body sent more pieces than were requested");
            ended = true;
        }
        loop.signal();
    }

    @Override
    public void onError(Throwable error) {
        failure = error;
        ended = true;
        loop.signal();
    }

    @Override
    public void onComplete() {
        ended = true;
        loop.signal();
    }

    @Override
    public void request(long pieces) {
        if (Operators.validate(pieces)) {
            wanted.accumulateAndGet(pieces, Operators::addCap);
            loop.signal();
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        loop.signal();
    }

    private boolean process() {
        // Read before "arrived": the end follows the last piece, so if the end is seen, the last piece is
        // visible.
        boolean sawEnd = ended;
        ByteBuf in = arrived.getAndSet(null);
        if (over || cancelled || failure != null) {
            if (in != null) {
                in.release();
            }
            stop(failure);
            return true;
        }
        try {
            decode(in, sawEnd);
        } catch (RequestVerificationException | RuntimeException | OutOfMemoryError e) {
            // OutOfMemoryError comes from the limit on direct buffers; it fails only this body.
            stop(e);
            return true;
        }
        handOut();
        requestOrComplete();
        return true;
    }

    private void decode(@Nullable ByteBuf in, boolean sawEnd) throws RequestVerificationException {
        if (in != null) {
            requested = false;
            decoder.read(in);
        }
        if (sawEnd && !verified) {
            decoder.end();
            verified = true;
            whenVerified.run();
        }
    }

    private void handOut() {
        long demand = wanted.get();
        long emitted = 0;
        for (ByteBuf piece = next(emitted < demand); piece != null; piece = next(emitted < demand)) {
            emitted++;
            downstream.onNext(piece);
        }
        wanted.accumulateAndGet(emitted, (before, fewer) -> before == Long.MAX_VALUE ? before : before - fewer);
    }

    private @Nullable ByteBuf next(boolean isWanted) {
        return isWanted && !cancelled ? decoder.poll() : null;
    }

    private void requestOrComplete() {
        if (cancelled || !decoder.isEmpty()) {
            return;
        }
        if (verified) {
            over = true;
            downstream.onComplete();
        } else if (wanted.get() > 0 && !requested && !ended) {
            requested = true;
            upstream.request(1);
        }
    }

    /** Ends early: with an error, or silently if the downstream has cancelled. */
    private void stop(@Nullable Throwable error) {
        if (over) {
            return;
        }
        over = true;
        upstream.cancel();
        decoder.release();
        if (error != null && !cancelled) {
            downstream.onError(error);
        }
    }
}
