package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.millrace.gateway.objects.monitor.BackendCallTotals;
import io.millrace.gateway.objects.monitor.ErrorHistory;
import io.millrace.gateway.objects.monitor.ErrorHistory.ErrorLine;
import io.millrace.gateway.objects.monitor.ErrorHistory.ErrorPoint;
import io.millrace.gateway.objects.monitor.TrafficBreakdown;
import io.millrace.gateway.objects.monitor.TrafficBreakdown.TrafficLine;
import io.millrace.gateway.objects.monitor.TrafficBreakdown.TrafficLinePoint;
import io.millrace.gateway.objects.monitor.TrafficDimension;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.s3.observe.ErrorCounts.ErrorKey;
import io.millrace.gateway.s3.observe.TrafficDimensionReader.LineKey;
import io.millrace.kit.async.DaemonThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the traffic of the last hour in steps of {@link #STEP} and of the last day in steps of {@link #LONG_STEP}. A
 * thread of its own samples the meters, so that requests pay nothing. Takes a few megabytes at most, and is empty after
 * a restart. Thread-safe.
 */
public final class TrafficHistory implements TrafficHistorySource, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TrafficHistory.class);
    private static final int MOST_STEPS = (int) FINE.dividedBy(STEP);
    private static final int MOST_LONG_STEPS = (int) LONGEST.dividedBy(LONG_STEP);

    /** Combinations of buckets, statuses and error codes that one step has apart. */
    static final int MOST_ERROR_LINES = 32;

    private static final int STEPS_OF_A_LONG_ONE = (int) LONG_STEP.dividedBy(STEP);

    private final MeterRegistry registry;
    private final RequestMeters requests;
    private final ScheduledExecutorService timer = DaemonThreads.timer("traffic-history");
    private final ErrorCounts errors;
    private final TrafficDimensionReader lines;
    private final Deque<Period> steps = new ArrayDeque<>();
    private final Deque<Period> longSteps = new ArrayDeque<>();

    /** The samples of the last minute: its steps and one more. */
    private final Deque<BackendCallTotals> loads = new ArrayDeque<>();

    private Sample last;
    private Sample lastLong;
    private int count;

    /** The totals since the start at one moment. */
    private record Sample(TrafficSnapshot all, Map<LineKey, TrafficDimensionTotals> lines, Map<ErrorKey, Long> errors) {
        Period since(Sample before) {
            TrafficPoint point = all.since(before.all);
            Map<LineKey, TrafficLinePoint> changed = new HashMap<>();
            lines.forEach((line, totals) -> {
                TrafficDimensionTotals then = before.lines.getOrDefault(line, TrafficDimensionTotals.NONE);
                if (!totals.equals(then)) {
                    changed.put(line, totals.since(then, point.at(), point.millis()));
                }
            });
            Map<ErrorKey, Long> failed = new HashMap<>();
            errors.forEach((key, total) -> {
                long added = total - before.errors.getOrDefault(key, 0L);
                if (added > 0) {
                    failed.put(key, added);
                }
            });
            return new Period(point, Map.copyOf(changed), mostFrequent(failed));
        }

        /**
         * Returns the combinations of this step that occurred most, and the others by status: what displaces one does
         * so while it lasts.
         */
        private static Map<ErrorKey, Long> mostFrequent(Map<ErrorKey, Long> failed) {
            Map<ErrorKey, Long> bounded = new HashMap<>();
            failed.entrySet().stream()
                    .sorted(Map.Entry.<ErrorKey, Long>comparingByValue().reversed())
                    .forEachOrdered(one -> bounded.merge(
                            bounded.size() < MOST_ERROR_LINES
                                    ? one.getKey()
                                    : new ErrorKey(
                                            TrafficByName.OTHERS, one.getKey().status(), ""),
                            one.getValue(),
                            Long::sum));
            return Map.copyOf(bounded);
        }
    }

    /** The traffic of one period; idle operations, backends and buckets are missing. */
    private record Period(TrafficPoint all, Map<LineKey, TrafficLinePoint> lines, Map<ErrorKey, Long> errors) {}

    /** Takes the current meters as the baseline. Nothing is sampled until {@link #start} or {@link #sample}. */
    public TrafficHistory(
            MeterRegistry registry,
            RequestMeters requests,
            BucketSavingsRegistry savings,
            Supplier<ClientBucketNames> names,
            ErrorCounts errors) {
        this.registry = registry;
        this.requests = requests;
        this.errors = errors;
        this.lines = new TrafficDimensionReader(registry, savings, names);
        BackendCallTotals load = BackendCallTotals.of(registry);
        this.last = read(load);
        this.lastLong = last;
        loads.add(load);
    }

    /** Starts sampling. */
    @SuppressWarnings("FutureReturnValueIgnored") // it never fails, and ends with the timer
    public void start() {
        timer.scheduleAtFixedRate(this::sampleSafely, STEP.toMillis(), STEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Returns the points of the last period, oldest first.
     *
     * @param length up to {@link #LONGEST}
     */
    @Override
    public List<TrafficPoint> last(Duration length) {
        return periods(length).stream().map(Period::all).toList();
    }

    @Override
    public TrafficBreakdown breakdown(TrafficDimension by, Duration length) {
        List<Period> periods = periods(length);
        Map<String, List<TrafficLinePoint>> points = new TreeMap<>();
        for (Period period : periods) {
            period.lines().forEach((line, point) -> {
                if (line.by() == by) {
                    points.computeIfAbsent(line.name(), absent -> new ArrayList<>())
                            .add(point);
                }
            });
        }
        return new TrafficBreakdown(
                step(length).toSeconds(),
                periods.stream().map(period -> period.all().at()).toList(),
                points.entrySet().stream()
                        .map(line -> new TrafficLine(line.getKey(), line.getValue()))
                        .toList());
    }

    @Override
    public ErrorHistory errors(Duration length) {
        List<Period> periods = periods(length);
        Map<ErrorKey, List<ErrorPoint>> points = new TreeMap<>();
        for (Period period : periods) {
            period.errors()
                    .forEach((key, count) -> points.computeIfAbsent(key, absent -> new ArrayList<>())
                            .add(new ErrorPoint(period.all().at(), period.all().millis(), count)));
        }
        return new ErrorHistory(
                step(length).toSeconds(),
                periods.stream().map(period -> period.all().at()).toList(),
                points.entrySet().stream()
                        .map(line -> new ErrorLine(
                                line.getKey().bucket(),
                                line.getKey().status(),
                                line.getKey().code(),
                                line.getValue()))
                        .toList());
    }

    private synchronized List<Period> periods(Duration length) {
        Deque<Period> all = length.compareTo(FINE) > 0 ? longSteps : steps;
        long most = length.dividedBy(step(length));
        return all.stream().skip(Math.max(0, all.size() - most)).toList();
    }

    private static Duration step(Duration length) {
        return length.compareTo(FINE) > 0 ? LONG_STEP : STEP;
    }

    /** Returns the load of a backend from the sample a minute before the last one until now. */
    public BackendCallStatistics load(String backend) {
        BackendCallTotals now = BackendCallTotals.of(registry);
        return now.since(oldestLoad(), backend);
    }

    private synchronized BackendCallTotals oldestLoad() {
        return loads.getFirst();
    }

    @Override
    public void close() {
        timer.shutdown();
    }

    private void sampleSafely() {
        try {
            sample();
        } catch (RuntimeException e) {
            log.warn("Traffic history: reading the meters failed; the next step includes this one", e);
        }
    }

    /** Takes a sample. */
    void sample() {
        BackendCallTotals load = BackendCallTotals.of(registry);
        Sample now = read(load);
        synchronized (this) {
            add(steps, now.since(last), MOST_STEPS);
            last = now;
            count++;
            if (count % STEPS_OF_A_LONG_ONE == 0) {
                add(longSteps, now.since(lastLong), MOST_LONG_STEPS);
                lastLong = now;
            }
            add(loads, load, STEPS_OF_A_LONG_ONE + 1);
        }
    }

    private Sample read(BackendCallTotals load) {
        return new Sample(
                TrafficSnapshot.of(registry, requests, Instant.now(), System.nanoTime()),
                lines.read(load),
                errors.counted());
    }

    private static <T> void add(Deque<T> points, T newest, int most) {
        points.addLast(newest);
        if (points.size() > most) {
            points.removeFirst();
        }
    }
}
