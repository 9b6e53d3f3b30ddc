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
 * Lets work ahead of readers be slow while readers are here and event loops are late: memory alone does not hold it back where the
 * processor is what both want. It halves, and comes back by a quarter each step (as TCP Vegas does by delay: Brakmo, Peterson
 * 1995), four times as fast where no reader is left.
 */
final class PrefetchThrottle implements AutoCloseable {
    private static final Duration STEP = Duration.ofMillis(100);

    /** Later than on a machine that has processors to spare. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** One block at a time, and few of them a second. */
    private static final double LEAST = 1.0 / (1 << 20);

    private final LongSupplier ended;
    private final IntSupplier inFlight;
    private final LongSupplier lateNanos;
    private final DoubleConsumer share;
    private @Nullable Disposable steps;
    private long seen;
    private double now = 1;

    /**
     * @param ended requests of S3 that have ended so far
     * @param inFlight those that are under way
     * @param lateNanos how late event loops were lately
     * @param share told how much of its memory work ahead of readers may have, 0 to 1
     */
    PrefetchThrottle(LongSupplier ended, IntSupplier inFlight, LongSupplier lateNanos, DoubleConsumer share) {
        this.ended = ended;
        this.inFlight = inFlight;
        this.lateNanos = lateNanos;
        this.share = share;
    }

    /** Looks from now on. */
    void start() {
        steps = Schedulers.parallel()
                .schedulePeriodically(this::step, STEP.toMillis(), STEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Looks once; by one thread at a time. */
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
