package io.millrace.gateway.app;

import io.millrace.gateway.control.BackendStatus;
import io.millrace.gateway.objects.monitor.MeterName;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Shows the last known state of backends and named buckets, and has them checked again at most once in {@link #PAUSE}.
 * A scrape never waits for a backend; without scrapes no request is sent. Thread-safe.
 */
final class HealthCollector implements MultiCollector {
    private static final Logger log = LoggerFactory.getLogger(HealthCollector.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);

    /** The states of backends in which they can be used. */
    private static final Set<String> UP = Set.of("answers", "refuses");

    /** The state of what cannot be checked. */
    private static final String UNKNOWN = "unknown";

    private static final List<String> BUCKET_STATES = List.of("answers", "missing", "refuses", "fails", UNKNOWN);

    private final Supplier<Mono<List<BackendStatus>>> check;
    private final LongSupplier nanoTime;
    private final AtomicLong checkedAt;
    private volatile List<BackendStatus> last = List.of();

    /** @param check reports the state of all backends */
    HealthCollector(Supplier<Mono<List<BackendStatus>>> check) {
        this(check, System::nanoTime);
    }

    HealthCollector(Supplier<Mono<List<BackendStatus>>> check, LongSupplier nanoTime) {
        this.check = check;
        this.nanoTime = nanoTime;
        this.checkedAt = new AtomicLong(nanoTime.getAsLong() - PAUSE.toNanos());
    }

    @Override
    public MetricSnapshots collect() {
        checkSometimes();
        MetricFamily up = new MetricFamily(MeterName.BACKEND_UP);
        MetricFamily states = new MetricFamily(MeterName.BUCKET_STATE);
        for (BackendStatus backend : last) {
            if (!backend.state().equals(UNKNOWN)) {
                up.gauge(UP.contains(backend.state()) ? 1 : 0, backend.name());
            }
            backend.buckets()
                    .forEach(bucket -> BUCKET_STATES.forEach(state -> states.gauge(
                            bucket.state().equals(state) ? 1 : 0, bucket.bucket(), backend.name(), state)));
        }
        return MetricFamily.snapshots(up, states);
    }

    private void checkSometimes() {
        long now = nanoTime.getAsLong();
        long before = checkedAt.get();
        if (now - before >= PAUSE.toNanos() && checkedAt.compareAndSet(before, now)) {
            check.get()
                    .subscribe(
                            found -> last = found,
                            failure -> log.error("The state of backends cannot be checked for /metrics", failure));
        }
    }
}
