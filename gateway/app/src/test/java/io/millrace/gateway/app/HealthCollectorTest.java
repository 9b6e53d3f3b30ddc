package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.control.BackendStatus;
import io.millrace.gateway.control.BucketHealth;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Scrapes show the last known health and have it checked, but neither often nor while they wait. */
class HealthCollectorTest {
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger checks = new AtomicInteger();

    @Test
    void scrapeDoesNotWaitForBackends() {
        Sinks.One<List<BackendStatus>> found = Sinks.one();
        HealthCollector collector = new HealthCollector(found::asMono, now::get);

        assertThat(collector.collect()).isEmpty();

        found.tryEmitValue(List.of(status("fails", "unknown")));
        assertThat(values(collector))
                .contains(
                        "millrace_backend_up [far] 0.0",
                        "millrace_bucket_state [far, data, unknown] 1.0",
                        "millrace_bucket_state [far, data, answers] 0.0");
    }

    @Test
    void checksAtMostOnceAMinute() {
        HealthCollector collector = new HealthCollector(
                () -> Mono.fromSupplier(() -> {
                    checks.incrementAndGet();
                    return List.of(status("answers", "answers"));
                }),
                now::get);

        collector.collect();
        now.addAndGet(Duration.ofSeconds(59).toNanos());
        collector.collect();
        assertThat(checks).hasValue(1);
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        collector.collect();
        assertThat(checks).hasValue(2);
        assertThat(values(collector)).contains("millrace_backend_up [far] 1.0");
    }

    private static List<String> values(HealthCollector collector) {
        return collector.collect().stream()
                .map(GaugeSnapshot.class::cast)
                .flatMap(family -> family.getDataPoints().stream()
                        .map(point -> "%s %s %s"
                                .formatted(
                                        family.getMetadata().getName(),
                                        point.getLabels().stream()
                                                .map(Label::getValue)
                                                .toList(),
                                        point.getValue())))
                .toList();
    }

    private static BackendStatus status(String backend, String bucket) {
        return new BackendStatus(
                "far",
                "s3",
                backend,
                Instant.EPOCH,
                "",
                Instant.EPOCH,
                new BackendCallStatistics(0, 0, OptionalLong.empty()),
                Optional.empty(),
                Optional.empty(),
                List.of(new BucketHealth("data", "data", bucket, Instant.EPOCH, "", Optional.empty())));
    }
}
