package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.LastPieceGuard;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;

/**
 * The content of the batch's item that is being written, which is requested buffer by buffer. Signals come from any
 * thread; all else is for one thread at a time.
 */
final class BatchContent implements CoreSubscriber<ByteBuf> {
    private final long length;
    private final Context context;
    private final Runnable signal;
    private final AtomicReference<@Nullable ByteBuf> arrived = new AtomicReference<>();
    private volatile @Nullable Subscription source;
    private volatile @Nullable Throwable failure;
    private volatile boolean ended;
    private volatile boolean closed;
    private boolean requested;

    /** @param signal is run when there is something to take */
    BatchContent(long length, Context context, Runnable signal) {
        this.length = length;
        this.context = context;
        this.signal = signal;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        source = subscription;
        if (closed) {
            subscription.cancel();
        } else {
            signal.run();
        }
    }

    @Override
    public void onNext(ByteBuf piece) {
        ByteBuf unread = arrived.getAndSet(piece);
        if (unread != null) {
            unread.release();
            failure = new IllegalStateException("a body sent more buffers than were requested");
        }
        if (closed) {
            releaseArrived();
        }
        signal.run();
    }

    @Override
    public void onError(Throwable cause) {
        failure = cause instanceof LastPieceGuard.WrongLengthException wrong
                ? new BackendException(FailureKind.INVALID_RESPONSE, String.valueOf(wrong.getMessage()))
                : cause;
        signal.run();
    }

    @Override
    public void onComplete() {
        ended = true;
        signal.run();
    }

    /** Returns the length that was announced. */
    long length() {
        return length;
    }

    /** Returns whether all buffers have arrived. To be read before {@link #take}: the end follows the last buffer. */
    boolean hasEnded() {
        return ended;
    }

    @Nullable Throwable failure() {
        return failure;
    }

    /** Takes the buffer that has arrived; null if there is none. The caller owns it. */
    @Nullable ByteBuf take() {
        ByteBuf piece = arrived.getAndSet(null);
        if (piece != null) {
            requested = false;
        }
        return piece;
    }

    /** Requests the next buffer, unless it is requested; returns whether there is something without a signal. */
    boolean request() {
        Subscription current = source;
        if (requested || current == null) {
            return false;
        }
        requested = true;
        current.request(1);
        return arrived.get() != null || ended || failure != null;
    }

    /** Cancels the body, and releases what has arrived. */
    void close() {
        closed = true;
        Subscription current = source;
        if (current != null) {
            current.cancel();
        }
        releaseArrived();
    }

    private void releaseArrived() {
        ByteBuf piece = arrived.getAndSet(null);
        if (piece != null) {
            piece.release();
        }
    }
}
