package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.BackendLoad;
import io.millrace.gateway.objects.monitor.BackendLoadSnapshot;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.objects.monitor.TrafficSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the traffic of the last hour in steps of {@link #STEP} and of the last day in steps of {@link #LONG_STEP}. A
 * thread of its own samples the meters, so that requests pay nothing. Takes less than a megabyte, and is empty after a
 * restart. Thread-safe.
 */
public final class TrafficHistory implements TrafficSource, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TrafficHistory.class);
    private static final int MOST_STEPS = (int) FINE.dividedBy(STEP);
    private static final int MOST_LONG_STEPS = (int) LONGEST.dividedBy(LONG_STEP);
    private static final int STEPS_OF_A_LONG_ONE = (int) LONG_STEP.dividedBy(STEP);

    private final MeterRegistry registry;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "traffic-history");
        thread.setDaemon(true);
        return thread;
    });
    private final Deque<TrafficPoint> steps = new ArrayDeque<>();
    private final Deque<TrafficPoint> longSteps = new ArrayDeque<>();

    /** The samples of the last minute: its steps and one more. */
    private final Deque<BackendLoadSnapshot> loads = new ArrayDeque<>();

    private TrafficTotals last;
    private TrafficTotals lastLong;
    private int count;

    /** Takes the current meters as the baseline. Nothing is sampled until {@link #start} or {@link #sample}. */
    public TrafficHistory(MeterRegistry registry) {
        this.registry = registry;
        this.last = TrafficTotals.of(registry, Instant.now(), System.nanoTime());
        this.lastLong = last;
        loads.add(BackendLoadSnapshot.of(registry));
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
    public synchronized List<TrafficPoint> last(Duration length) {
        Deque<TrafficPoint> points = length.compareTo(FINE) > 0 ? longSteps : steps;
        long most = length.dividedBy(length.compareTo(FINE) > 0 ? LONG_STEP : STEP);
        return points.stream().skip(Math.max(0, points.size() - most)).toList();
    }

    /** Returns the load of a backend in the last minute, up to the last sample. */
    public synchronized BackendLoad load(String backend) {
        return loads.getLast().since(loads.getFirst(), backend);
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
        TrafficTotals now = TrafficTotals.of(registry, Instant.now(), System.nanoTime());
        BackendLoadSnapshot load = BackendLoadSnapshot.of(registry);
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

    private static <T> void add(Deque<T> points, T newest, int most) {
        points.addLast(newest);
        if (points.size() > most) {
            points.removeFirst();
        }
    }
}
