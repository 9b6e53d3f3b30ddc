package io.millrace.gateway.app;

import io.millrace.gateway.observe.RequestRecord;
import io.millrace.gateway.observe.S3Recorder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * Lets work ahead of readers be slow while readers are here and event loops are late: memory alone does not hold it back where the
 * processor is what both want. It halves, and comes back by a quarter each step (as TCP Vegas does by delay: Brakmo, Peterson 1995).
 */
final class Courtesy implements S3Recorder, AutoCloseable {
    private static final Duration STEP = Duration.ofMillis(100);

    /** Later than on a machine that has processors to spare. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Less than this is one block at a time. */
    private static final double LEAST = 1 / 8192.0;

    private final LongSupplier lateNanos;
    private final DoubleConsumer share;
    private final LongAdder started = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private @Nullable Disposable steps;
    private long seen;
    private double now = 1;

    /**
     * @param lateNanos how late event loops were lately
     * @param share told how much of its memory work ahead of readers may have, 0 to 1
     */
    Courtesy(LongSupplier lateNanos, DoubleConsumer share) {
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
        long begun = started.sum();
        boolean readers = begun != seen || begun != ended.sum();
        seen = begun;
        double next =
                readers && lateNanos.getAsLong() > LATE_NANOS ? Math.max(LEAST, now / 2) : Math.min(1, now * 1.25);
        if (next != now) {
            now = next;
            share.accept(now);
        }
    }

    @Override
    public void started() {
        started.increment();
    }

    @Override
    public void ended(RequestRecord request) {
        ended.increment();
    }

    @Override
    public void close() {
        if (steps != null) {
            steps.dispose();
        }
    }
}
