package io.millrace.gateway.s3.object;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.context.Context;

/**
 * The entries of a batch that were made and not opened yet, which hold nothing: {@link BatchTar#AHEAD} at most. They
 * come from any thread, and are taken by one at a time.
 */
final class BatchEntryQueue extends BaseSubscriber<BatchEntry> {
    private final Context context;
    private final Runnable signal;
    private final Queue<BatchEntry> waiting = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Throwable failure;
    private volatile boolean ended;

    /** @param signal is run when there is something to take, or no more to come */
    BatchEntryQueue(Context context, Runnable signal) {
        this.context = context;
        this.signal = signal;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    protected void hookOnSubscribe(Subscription source) {
        source.request(BatchTar.AHEAD);
    }

    @Override
    protected void hookOnNext(BatchEntry entry) {
        waiting.add(entry);
        signal.run();
    }

    @Override
    protected void hookOnError(Throwable cause) {
        failure = cause;
        signal.run();
    }

    @Override
    protected void hookOnComplete() {
        ended = true;
        signal.run();
    }

    @Nullable Throwable failure() {
        return failure;
    }

    /** Takes an entry, in place of which another one is asked for; null if none is there now. */
    @Nullable BatchEntry poll() {
        BatchEntry next = waiting.poll();
        if (next != null) {
            request(1);
        }
        return next;
    }

    /** Returns whether all were taken. */
    boolean isOver() {
        return ended && waiting.isEmpty();
    }
}
