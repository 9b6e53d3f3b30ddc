package io.millrace.loadgen.run;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.result.PhaseResult;
import io.millrace.loadgen.scenario.PhaseSettings;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs phases, one at a time, and measures them. {@link #stop} may be called on any thread. */
public final class PhaseRunner {
    /** The time without any success after which a phase is given up. */
    public static final Duration FAILURE_TIMEOUT = Duration.ofSeconds(10);

    private static final long TICK = TimeUnit.SECONDS.toNanos(1);

    private final S3ConnectionFactory connections;
    private final WorkingSet objects;
    private final WorkerShare share;
    private final Duration failureTimeout;
    private final OperationObserver observer;
    private final ProgressListener progress;
    private volatile @Nullable PhaseLoad current;
    private volatile String stopReason = "";

    /**
     * @param failureTimeout time without any success after which a phase is given up
     */
    public PhaseRunner(
            S3ConnectionFactory connections,
            WorkingSet objects,
            WorkerShare share,
            Duration failureTimeout,
            OperationObserver observer,
            ProgressListener progress) {
        this.connections = connections;
        this.objects = objects;
        this.share = share;
        this.failureTimeout = failureTimeout;
        this.observer = observer;
        this.progress = progress;
    }

    /** Ends the current phase, once its operations in progress have ended, and all later ones. */
    public void stop(String reason) {
        stopReason = reason;
        PhaseLoad load = current;
        if (load != null) {
            load.pacer().stop();
        }
    }

    /** Returns whether the run was stopped before its end. */
    public boolean isStopped() {
        return !stopReason.isEmpty();
    }

    /** Runs a phase to its end and returns what was measured. Blocks. */
    public PhaseResult run(PhaseSettings settings) throws InterruptedException {
        PhaseLoad load = new PhaseLoad(settings, objects, share, observer);
        current = load;
        if (isStopped()) {
            load.pacer().stop();
        }
        for (int i = 0; i < settings.connections(); i++) {
            new ConnectionWorker(connections.create(), load).start();
        }
        if (!settings.warmUp().isZero()) {
            follow(load, settings, settings.warmUp(), true);
            load.reset();
        }
        return measure(load, settings);
    }

    private PhaseResult measure(PhaseLoad load, PhaseSettings settings) throws InterruptedException {
        long startedAt = System.currentTimeMillis();
        long cpu = cpuNanos();
        long from = System.nanoTime();
        TimeSeries series = follow(load, settings, Duration.ofDays(36_500), false);
        double seconds = (System.nanoTime() - from) / 1e9;
        current = null;
        return new PhaseResult(
                settings.name(),
                describe(settings),
                startedAt,
                seconds,
                settings.rate().orElse(0.0) / share.of(),
                isStopped() ? 0 : load.pacer().unsent(System.nanoTime()),
                (cpuNanos() - cpu) / 1e9,
                stopReason,
                load.results(),
                series.points(),
                load.failures());
    }

    /** Follows the phase until it or {@code longest} ends. */
    private TimeSeries follow(PhaseLoad load, PhaseSettings settings, Duration longest, boolean isWarmUp)
            throws InterruptedException {
        TimeSeries series = new TimeSeries();
        long start = System.nanoTime();
        long taken = start;
        boolean hasEnded = false;
        while (!hasEnded && System.nanoTime() - start < longest.toNanos()) {
            long wait = Math.min(taken + TICK, start + longest.toNanos()) - System.nanoTime();
            hasEnded = load.awaitEnd(Math.max(0, wait));
            long now = System.nanoTime();
            TimeSeries.Interval interval = load.takeInterval((taken - start) / 1e9, (now - taken) / 1e9);
            taken = now;
            series.add(interval);
            progress.onInterval(settings.name(), interval.point(), isWarmUp);
            giveUpIfUseless(load);
        }
        return series;
    }

    private void giveUpIfUseless(PhaseLoad load) {
        if (!isStopped() && load.onlyFailsFor(failureTimeout.toNanos())) {
            stop("nothing succeeded for %d s; the last failure: %s"
                    .formatted(failureTimeout.toSeconds(), load.latestFailure()));
        }
    }

    private static String describe(PhaseSettings settings) {
        return "%s, %s, %d connection%s%s"
                .formatted(
                        settings.operations(),
                        settings.order().name().toLowerCase(Locale.ROOT),
                        settings.connections(),
                        settings.connections() == 1 ? "" : "s",
                        settings.rate().map(rate -> ", %.0f/s".formatted(rate)).orElse(""));
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
