package io.millrace.loadgen;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.S3ConnectionFactory;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs phases, one at a time, and measures them. {@link #stop} may be called on any thread. */
final class PhaseRunner {
    /** The time without any success after which a phase is given up. */
    static final Duration FAILURE_TIMEOUT = Duration.ofSeconds(10);

    private static final long TICK = TimeUnit.SECONDS.toNanos(1);
    private static final long TIME_TO_END = TimeUnit.SECONDS.toNanos(5);

    private final S3ConnectionFactory connections;
    private final WorkingSet objects;
    private final ProcessShare share;
    private final Duration failureTimeout;
    private final OperationObserver observer;
    private final ProgressListener progress;
    private final List<S3Connection> used = new ArrayList<>();
    private volatile @Nullable PhaseOperationDispatcher current;
    private volatile String stopReason = "";
    private volatile long stoppedAt;

    /**
     * @param failureTimeout time without any success after which a phase is given up
     */
    PhaseRunner(
            S3ConnectionFactory connections,
            WorkingSet objects,
            ProcessShare share,
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

    /** Ends the current phase and all later ones. Operations in progress have a few seconds to end. */
    void stop(String reason) {
        stoppedAt = System.nanoTime();
        stopReason = reason;
        PhaseOperationDispatcher load = current;
        if (load != null) {
            load.pacer().stop();
        }
    }

    /** Returns whether the run was stopped before its end. */
    boolean isStopped() {
        return !stopReason.isEmpty();
    }

    /** Runs a phase to its end and returns what was measured. Blocks. */
    PhaseResult run(PhaseSettings settings) throws InterruptedException {
        PhaseOperationDispatcher load = new PhaseOperationDispatcher(settings, objects, share, observer);
        current = load;
        if (isStopped()) {
            load.pacer().stop();
        }
        used.clear();
        for (int i = 0; i < settings.connections(); i++) {
            S3Connection connection = connections.create();
            used.add(connection);
            new ConnectionWorker(connection, load).start();
        }
        if (!settings.warmUp().isZero()) {
            follow(load, settings, settings.warmUp(), true);
            load.endWarmUp();
        }
        return measure(load, settings);
    }

    private PhaseResult measure(PhaseOperationDispatcher load, PhaseSettings settings) throws InterruptedException {
        long startedAt = System.currentTimeMillis();
        long cpu = cpuNanos();
        long from = System.nanoTime();
        TimeSeries series = follow(load, settings, Duration.ofDays(36_500), false);
        double seconds = (System.nanoTime() - from) / 1e9;
        double cpuSeconds = (cpuNanos() - cpu) / 1e9;
        current = null;
        return new PhaseResult(
                settings.name(),
                describe(settings),
                startedAt,
                seconds,
                settings.rate().orElse(0.0) / share.of(),
                isStopped() ? 0 : load.pacer().unsent(System.nanoTime()),
                cpuSeconds,
                cpuSeconds / seconds / Runtime.getRuntime().availableProcessors(),
                settings.cold(),
                stopReason,
                load.results(),
                series.points(),
                load.failures());
    }

    /** Follows the phase until it or {@code longest} ends. */
    private TimeSeries follow(PhaseOperationDispatcher load, PhaseSettings settings, Duration longest, boolean isWarmUp)
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
            cutOffIfStopped();
        }
        return series;
    }

    private void giveUpIfUseless(PhaseOperationDispatcher load) {
        if (!isStopped() && load.onlyFailsFor(failureTimeout.toNanos())) {
            stop("nothing succeeded for %d s; the last failure: %s"
                    .formatted(failureTimeout.toSeconds(), load.latestFailure()));
        }
    }

    /** An endpoint that hangs would otherwise delay the end by the timeout of its requests. */
    private void cutOffIfStopped() {
        if (isStopped() && System.nanoTime() - stoppedAt > TIME_TO_END) {
            used.forEach(connection -> connection.schedule(connection::close, 0));
        }
    }

    private static String describe(PhaseSettings settings) {
        return "%s, %s, %d connection%s%s, %s"
                .formatted(
                        settings.operations(),
                        settings.order().name().toLowerCase(Locale.ROOT),
                        settings.connections(),
                        settings.connections() == 1 ? "" : "s",
                        settings.rate()
                                .map(rate -> String.format(Locale.ROOT, ", %.0f/s", rate))
                                .orElse(""),
                        settings.verify() ? "verified" : "not verified");
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
