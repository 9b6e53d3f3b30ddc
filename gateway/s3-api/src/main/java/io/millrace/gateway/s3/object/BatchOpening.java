package io.millrace.gateway.s3.object;

import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;

/**
 * The opening of a batch's entry: its response, or why there is none, until that is taken or given up. Signals come
 * from any thread; all else is for one thread at a time.
 */
final class BatchOpening implements CoreSubscriber<S3Response> {
    /** The place of an outcome that was taken, or that nobody wants any more. */
    private static final Object TAKEN = new Object();

    private final BatchEntry entry;
    private final Context context;
    private final Runnable signal;
    private final AtomicReference<@Nullable Object> outcome = new AtomicReference<>();
    private volatile @Nullable Subscription source;
    private boolean holdsConnection = true;
    private boolean hasLearnt;

    /** @param signal is run when the outcome is known */
    BatchOpening(BatchEntry entry, Context context, Runnable signal) {
        this.entry = entry;
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
        if (outcome.get() == TAKEN) {
            subscription.cancel();
        } else {
            subscription.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(S3Response response) {
        if (outcome.compareAndSet(null, response)) {
            signal.run();
        } else {
            response.body().discard();
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (outcome.compareAndSet(null, failure)) {
            signal.run();
        }
    }

    @Override
    public void onComplete() {
        // It follows each response too, and an exception costs more than a small item.
        if (outcome.get() == null) {
            onError(new IllegalStateException("an item has no response"));
        }
    }

    BatchEntry entry() {
        return entry;
    }

    boolean isKnown() {
        return outcome.get() != null;
    }

    /**
     * Learns from the outcome, once it is known, whether it holds a connection of a backend until it is taken. Returns
     * whether that is new.
     */
    boolean learn() {
        Object known = outcome.get();
        if (known == null || hasLearnt) {
            return false;
        }
        hasLearnt = true;
        holdsConnection = known instanceof S3Response response && isPastCache(response);
        return true;
    }

    /** Returns whether it holds a connection of a backend until it is taken, or may turn out to. */
    boolean holdsConnection() {
        return holdsConnection;
    }

    /** Returns whether it has {@linkplain #learn learnt} that it holds a connection of a backend. */
    boolean isKnownToHold() {
        return hasLearnt && holdsConnection;
    }

    /** Returns whether the body comes from a backend as its reader takes it. */
    private static boolean isPastCache(S3Response response) {
        S3Response.Body body = response.body();
        return body.length() > 0
                && (body instanceof S3Response.Content
                        || (body instanceof S3Response.CachedContent
                                && BatchTar.hasResult(response, CacheResult.BYPASS)));
    }

    /** Takes the response, whose body the caller owns then, or the failure; to be called when it is known. */
    Object take() {
        return Objects.requireNonNull(outcome.getAndSet(TAKEN));
    }

    /** Gives up what was not taken. */
    void close() {
        Object known = outcome.getAndSet(TAKEN);
        Subscription current = source;
        if (current != null) {
            current.cancel();
        }
        if (known instanceof S3Response response) {
            response.body().discard();
        }
    }
}
