package io.millrace.loadgen;

import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.KeyOrder;
import io.millrace.loadgen.client.ObjectCatalog;
import io.millrace.loadgen.client.ObjectChooser;
import io.millrace.loadgen.client.SeededHash;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Hands out the operations of one phase to its connections, and collects their measurements. Thread-safe. */
final class PhaseOperationDispatcher {
    private static final long SEED = 20_240_601;

    private final PhaseSettings settings;
    private final ObjectCatalog readable;
    private final ObjectCatalog writable;
    private final ProcessShare share;
    private final long limit;
    private final Pacer pacer;
    private final OperationFactory factory;
    private final OperationObserver observer;
    private final ObjectChooser chooser;
    private final Map<OperationType, OperationRecorder> recorders = new EnumMap<>(OperationType.class);
    private final FailureCounter failures = new FailureCounter();
    private final CountDownLatch running;
    private volatile long lastSuccessAt = System.nanoTime();
    private volatile long measuredFrom = lastSuccessAt;

    PhaseOperationDispatcher(
            PhaseSettings settings, WorkingSet objects, ProcessShare share, OperationObserver observer) {
        this.settings = settings;
        this.readable = objects.objects();
        this.writable = objects.writable(settings.operations());
        this.share = share;
        this.observer = observer;
        this.factory = new OperationFactory(
                objects.prefix(),
                settings.rangeSize().bytes(),
                settings.partSize().bytes(),
                settings.verify());
        this.chooser = settings.order().chooser(readable.count(), SEED);
        this.running = new CountDownLatch(settings.connections());
        settings.operations().types().forEach(type -> recorders.put(type, new OperationRecorder(type)));
        this.limit = settings.count()
                .map(count -> share.part(count.operations(readable.count())))
                .orElse(Long.MAX_VALUE);
        long nanos = settings.timeLimit().map(Duration::toNanos).orElse(Long.MAX_VALUE / 2);
        // A count that the warm-up spent would leave nothing to measure.
        long atFirst = settings.warmUp().isZero() ? limit : Long.MAX_VALUE;
        this.pacer =
                new Pacer(System.nanoTime(), nanos, atFirst, settings.rate().orElse(0.0) / share.of());
    }

    Pacer pacer() {
        return pacer;
    }

    /**
     * Creates the operation with a number.
     *
     * @param ownNumber number among the operations of its connection
     */
    Operation operation(long number, long ownNumber) {
        long global = share.number(number);
        OperationType type = settings.operations().choose(SeededHash.unit(SEED, global));
        long index = chooser.indexFor(settings.order() == KeyOrder.EACH ? ownNumber : global);
        ObjectCatalog catalog = type.isWrite() ? writable : readable;
        return factory.create(
                type, catalog.get(index % catalog.count()), SeededHash.below(Long.MAX_VALUE, ~SEED, global));
    }

    void record(Measurement measurement, long dueAt) {
        OperationRecorder recorder = recorders.get(measurement.type());
        boolean isOfWarmUp = settings.rate().isPresent() && dueAt - measuredFrom < 0;
        if (recorder != null && !isOfWarmUp) {
            recorder.add(measurement, dueAt);
        }
        if (measurement.outcome() == Outcome.RIGHT) {
            lastSuccessAt = measurement.endedAt();
        } else {
            failures.add(measurement);
        }
        observer.onEnd(measurement);
    }

    void onWorkerEnd() {
        running.countDown();
    }

    /** Waits until all connections have ended; returns false if {@code nanos} pass before. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return running.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Returns whether something failed and nothing has succeeded for {@code nanos}. */
    boolean onlyFailsFor(long nanos) {
        return System.nanoTime() - lastSuccessAt > nanos && !failures.latest().isEmpty();
    }

    String latestFailure() {
        return failures.latest();
    }

    /** Takes the measurements since the last call. */
    TimeSeries.Interval takeInterval(double atSecond, double seconds) {
        TimeSeries.Interval interval = new TimeSeries.Interval(atSecond, seconds);
        recorders.values().forEach(recorder -> recorder.takeInterval(interval));
        return interval;
    }

    /** Drops the measurements so far: those of the warm-up. */
    void reset() {
        measuredFrom = System.nanoTime();
        pacer.restartSchedule(measuredFrom, limit);
        recorders.values().forEach(OperationRecorder::reset);
        failures.clear();
    }

    List<OperationResult> results() {
        return recorders.values().stream().map(OperationRecorder::result).toList();
    }

    List<FailureCount> failures() {
        return failures.results();
    }
}
