package io.millrace.kit.async;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A stage between the publisher of a body and its reader, which takes one buffer at a time from the publisher. Each
 * buffer is either emitted, and then the reader's, or released by the stage, never both.
 *
 * <p>Signals come from any thread and set fields of their own; a {@link DrainLoop} does the rest, on their threads or
 * on those of an executor, so that buffers and all fields of a subclass belong to one thread at a time.
 */
@SuppressWarnings("this-escape") // the loop runs upon signals, which come after the constructors
public abstract class BufferStage implements CoreSubscriber<ByteBuf>, Subscription {
    private final CoreSubscriber<? super ByteBuf> reader;
    private final DrainLoop loop;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicReference<@Nullable ByteBuf> arrived = new AtomicReference<>();
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;
    private Subscription source = Operators.emptySubscription();

    // Used only by the thread that runs the loop.
    private boolean requested;
    private boolean over;

    /** A stage that works on the threads of its signals. */
    protected BufferStage(CoreSubscriber<? super ByteBuf> reader) {
        this(reader, Runnable::run);
    }

    /** @param executor has the threads on which the stage works; takes whatever comes */
    protected BufferStage(CoreSubscriber<? super ByteBuf> reader, Executor executor) {
        this.reader = reader;
        this.loop = new DrainLoop(executor, this::run, () -> {});
    }

    @Override
    public final Context currentContext() {
        return reader.currentContext();
    }

    @Override
    public final void onSubscribe(Subscription subscription) {
        if (source == Operators.emptySubscription()) {
            source = subscription;
            reader.onSubscribe(this);
        } else {
            subscription.cancel();
        }
    }

    @Override
    public final void onNext(ByteBuf piece) {
        ByteBuf unread = arrived.getAndSet(piece);
        if (unread != null) {
            unread.release();
            failure = new IllegalStateException("the publisher of the body sent more buffers than were requested");
        }
        loop.signal();
    }

    @Override
    public final void onError(Throwable cause) {
        failure = cause;
        loop.signal();
    }

    @Override
    public final void onComplete() {
        ended = true;
        loop.signal();
    }

    @Override
    public final void request(long more) {
        if (Operators.validate(more)) {
            demand.accumulateAndGet(more, Operators::addCap);
            loop.signal();
        }
    }

    @Override
    public final void cancel() {
        cancelled = true;
        loop.signal();
    }

    private boolean run() {
        // Read before "arrived": the end follows the last buffer, so if the end is seen, that buffer is.
        boolean sawEnd = ended;
        ByteBuf piece = arrived.getAndSet(null);
        if (over || cancelled || failure != null) {
            if (piece != null) {
                piece.release();
            }
            stop(failure);
            return true;
        }
        if (piece != null) {
            requested = false;
        }
        step(piece, sawEnd);
        return !hasMore();
    }

    /**
     * Does what can be done now. Called after each signal, until the stage has ended or was cancelled.
     *
     * @param piece the buffer that has arrived, which is this method's; null if none has
     * @param sawEnd whether no further buffer comes after it
     */
    protected abstract void step(@Nullable ByteBuf piece, boolean sawEnd);

    /** Returns whether {@link #step} is to be called again, after the executor's other tasks, without a signal. */
    protected boolean hasMore() {
        return false;
    }

    /** Releases what the stage holds. Called once, unless it has completed. */
    protected abstract void release();

    /** Has {@link #step} called, from any thread. */
    protected final void signal() {
        loop.signal();
    }

    /** Returns whether the reader waits for a buffer. */
    protected final boolean isWanted() {
        return demand.get() > 0 && !cancelled;
    }

    protected final boolean isCancelled() {
        return cancelled;
    }

    protected final boolean isOver() {
        return over;
    }

    /** Emits a buffer that {@linkplain #isWanted is wanted}. */
    protected final void emit(ByteBuf piece) {
        if (demand.get() != Long.MAX_VALUE) {
            demand.decrementAndGet();
        }
        reader.onNext(piece);
    }

    /** Requests the next buffer, if the reader waits for one and it is not on its way. */
    protected final void requestNext() {
        if (isWanted() && !requested && !ended) {
            requested = true;
            source.request(1);
        }
    }

    protected final void complete() {
        over = true;
        reader.onComplete();
    }

    /** Ends early: with an error, or silently if the reader has cancelled. */
    protected final void stop(@Nullable Throwable cause) {
        if (over) {
            return;
        }
        over = true;
        source.cancel();
        release();
        if (cause != null && !cancelled) {
            reader.onError(cause);
        }
    }
}
