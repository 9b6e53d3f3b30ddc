package io.millrace.gateway.objects.derived;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The health of a service: it is in trouble if all calls of a minute have failed, the last of them lately. Whoever
 * reads nothing learns nothing, so what is long ago is forgotten. Thread-safe.
 */
final class TransformHealth {
    /** As long as nothing may succeed. */
    static final Duration LEAST = Duration.ofMinutes(1);

    /** How long a failure counts. */
    static final Duration MEMORY = Duration.ofMinutes(5);

    private final LongSupplier nanoTime;
    private volatile @Nullable Failures failures;

    /** The times of the first and the last failure since the last success. */
    private record Failures(long first, long last) {}

    /** @param nanoTime as {@link System#nanoTime} */
    TransformHealth(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Records a call that shows that the service works, be it a refusal. */
    void succeeded() {
        if (failures != null) {
            failures = null;
        }
    }

    /** Records a call that failed after its retries. */
    synchronized void failed() {
        long now = nanoTime.getAsLong();
        @Nullable Failures before = failures;
        long first = before != null && now - before.last() < MEMORY.toNanos() ? before.first() : now;
        failures = new Failures(first, now);
    }

    boolean isFailing() {
        Failures known = failures;
        return known != null
                && known.last() - known.first() >= LEAST.toNanos()
                && nanoTime.getAsLong() - known.last() < MEMORY.toNanos();
    }
}
