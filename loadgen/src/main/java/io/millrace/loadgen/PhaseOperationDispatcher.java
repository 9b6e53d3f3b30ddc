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
    private final Pacer pacer;
    private final OperationFactory factory;
    private final OperationObserver observer;
    private final ObjectChooser chooser;
    private final Records warmUp;
    private final Records measured;
    private final CountDownLatch running;
    private volatile Records current;
    private volatile long lastSuccessAt = System.nanoTime();

    /** The measurements and failures of a phase's warm-up, or of the rest. */
    private record Records(Map<OperationType, OperationRecorder> recorders, FailureCounter failures) {
        static Records of(OperationMix operations) {
            Map<OperationType, OperationRecorder> recorders = new EnumMap<>(OperationType.class);
            operations.types().forEach(type -> recorders.put(type, new OperationRecorder(type)));
            return new Records(recorders, new FailureCounter());
        }
    }

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
        this.warmUp = Records.of(settings.operations());
        this.measured = Records.of(settings.operations());
        boolean hasWarmUp = !settings.warmUp().isZero();
        this.current = hasWarmUp ? warmUp : measured;
        long limit = settings.count()
                .map(count -> share.part(count.operations(readable.count())))
                .orElse(Long.MAX_VALUE);
        long nanos = settings.timeLimit().map(Duration::toNanos).orElse(Long.MAX_VALUE / 2);
        this.pacer = new Pacer(System.nanoTime(), nanos, limit, settings.rate().orElse(0.0) / share.of(), hasWarmUp);
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

    void record(Measurement measurement, long number, long dueAt) {
        Records records = pacer.isMeasured(number) ? measured : warmUp;
        OperationRecorder recorder = records.recorders().get(measurement.type());
        if (recorder != null) {
            recorder.add(measurement, dueAt);
        }
        if (measurement.outcome() == Outcome.RIGHT) {
            lastSuccessAt = measurement.endedAt();
        } else {
            records.failures().add(measurement);
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
        return System.nanoTime() - lastSuccessAt > nanos && !latestFailure().isEmpty();
    }

    String latestFailure() {
        String latest = measured.failures().latest();
        return latest.isEmpty() ? warmUp.failures().latest() : latest;
    }

    /** Takes the measurements since the last call. */
    TimeSeries.Interval takeInterval(double atSecond, double seconds) {
        TimeSeries.Interval interval = new TimeSeries.Interval(atSecond, seconds);
        current.recorders().values().forEach(recorder -> recorder.takeInterval(interval));
        return interval;
    }

    /** Ends the warm-up: operations that start from now on are measured. */
    void endWarmUp() {
        pacer.endWarmUp(System.nanoTime());
        current = measured;
    }

    List<OperationResult> results() {
        return measured.recorders().values().stream()
                .map(OperationRecorder::result)
                .toList();
    }

    List<FailureCount> failures() {
        return measured.failures().results();
    }
}
