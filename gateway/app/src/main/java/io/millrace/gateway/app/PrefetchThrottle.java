package io.millrace.gateway.app;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * Slows prefetches down while clients send requests and event loops lag. A limit on memory alone does not slow them
 * down where prefetches and clients compete for the processor. The share is halved at each step with lag, and grows by
 * a quarter at each step without (as TCP Vegas does by delay: Brakmo, Peterson 1995). Without client requests it grows
 * fourfold at each step.
 */
final class PrefetchThrottle implements AutoCloseable {
    private static final Duration STEP = Duration.ofMillis(100);

    /** Lag above that of a machine with idle processors. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Smallest share: one block at a time, and few blocks a second. */
    private static final double LEAST = 1.0 / (1 << 20);

    private final LongSupplier ended;
    private final IntSupplier inFlight;
    private final LongSupplier lateNanos;
    private final DoubleConsumer share;
    private @Nullable Disposable steps;
    private long seen;
    private double now = 1;

    /**
     * @param ended number of S3 requests that have ended so far
     * @param inFlight number of S3 requests in flight
     * @param lateNanos recent lag of the event loops, in nanoseconds
     * @param share receives the share of their memory that prefetches may use, 0 to 1
     */
    PrefetchThrottle(LongSupplier ended, IntSupplier inFlight, LongSupplier lateNanos, DoubleConsumer share) {
        this.ended = ended;
        this.inFlight = inFlight;
        this.lateNanos = lateNanos;
        this.share = share;
    }

    /** Starts measuring at regular steps. */
    void start() {
        steps = Schedulers.parallel()
                .schedulePeriodically(this::step, STEP.toMillis(), STEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Measures once and adjusts the share; for one thread at a time. */
    void step() {
        long over = ended.getAsLong();
        boolean readers = over != seen || inFlight.getAsInt() > 0;
        seen = over;
        double next = readers ? beside(lateNanos.getAsLong()) : Math.min(1, now * 4);
        if (next != now) {
            now = next;
            share.accept(now);
        }
    }

    private double beside(long late) {
        return late > LATE_NANOS ? Math.max(LEAST, now / 2) : Math.min(1, now * 1.25);
    }

    @Override
    public void close() {
        if (steps != null) {
            steps.dispose();
        }
    }
}
