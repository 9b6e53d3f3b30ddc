package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Stands between a raw body and whoever wants it decoded.
 *
 * <p>Signals come from any thread. Each leaves a note in a field of its own and raises {@code work}; the one that raised it
 * from zero goes round until all notes are dealt with, so the decoder, the downstream and whatever is held belong to one thread
 * at a time. At most one raw piece is outstanding, asked for when somebody wants a piece and none is ready.
 */
final class DecodingSubscriber implements CoreSubscriber<ByteBuf>, Subscription {
    private final CoreSubscriber<? super ByteBuf> downstream;
    private final PayloadDecoder decoder;
    private final Runnable whenVerified;
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicReference<@Nullable ByteBuf> arrived = new AtomicReference<>();
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;
    private Subscription upstream = Operators.emptySubscription();

    // Of the thread that goes round.
    private boolean asked;
    private boolean verified;
    private boolean over;

    DecodingSubscriber(CoreSubscriber<? super ByteBuf> downstream, PayloadDecoder decoder, Runnable whenVerified) {
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
            failure = new IllegalStateException("a body sent more pieces than it was asked for");
            ended = true;
        }
        goRound();
    }

    @Override
    public void onError(Throwable error) {
        failure = error;
        ended = true;
        goRound();
    }

    @Override
    public void onComplete() {
        ended = true;
        goRound();
    }

    @Override
    public void request(long pieces) {
        if (Operators.validate(pieces)) {
            wanted.accumulateAndGet(pieces, Operators::addCap);
            goRound();
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        goRound();
    }

    private void goRound() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            dealWithNotes();
            seen = work.addAndGet(-seen);
        } while (seen != 0);
    }

    private void dealWithNotes() {
        // Before what arrived: the end follows the last piece, so what is to be read is there if the end is seen.
        boolean nothingFollows = ended;
        ByteBuf in = arrived.getAndSet(null);
        if (over || cancelled || failure != null) {
            if (in != null) {
                in.release();
            }
            stop(failure);
            return;
        }
        try {
            decode(in, nothingFollows);
        } catch (AuthException | RuntimeException | OutOfMemoryError e) {
            // Out of memory is a limit on direct buffers: it fails this body and no other.
            stop(e);
            return;
        }
        handOut();
        askOrComplete();
    }

    private void decode(@Nullable ByteBuf in, boolean nothingFollows) throws AuthException {
        if (in != null) {
            asked = false;
            decoder.read(in);
        }
        if (nothingFollows && !verified) {
            decoder.end();
            verified = true;
            whenVerified.run();
        }
    }

    private void handOut() {
        long most = wanted.get();
        long handed = 0;
        for (ByteBuf piece = next(handed < most); piece != null; piece = next(handed < most)) {
            handed++;
            downstream.onNext(piece);
        }
        wanted.accumulateAndGet(handed, (before, fewer) -> before == Long.MAX_VALUE ? before : before - fewer);
    }

    private @Nullable ByteBuf next(boolean isWanted) {
        return isWanted && !cancelled ? decoder.poll() : null;
    }

    private void askOrComplete() {
        if (cancelled || !decoder.isEmpty()) {
            return;
        }
        if (verified) {
            over = true;
            downstream.onComplete();
        } else if (wanted.get() > 0 && !asked && !ended) {
            asked = true;
            upstream.request(1);
        }
    }

    /** Ends it before its time: with an error, or without a word if nobody listens any more. */
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
