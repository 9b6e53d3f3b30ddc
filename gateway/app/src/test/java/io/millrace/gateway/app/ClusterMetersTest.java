package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.gateway.control.ClusterView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A test of meters against the counts of a member. */
class ClusterMetersTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void countsOfTheMemberAreCounters() {
        AtomicLong lost = new AtomicLong();
        AtomicLong waited = new AtomicLong();
        ClusterView alone = new ClusterView(
                "prod", "gw-0", true, true, "balancer", Optional.empty(), Optional.empty(), "", "", List.of());
        AtomicLong relayed = new AtomicLong();
        AtomicLong fallbacks = new AtomicLong();
        AtomicLong copied = new AtomicLong();
        ClusterMeters meters = new ClusterMeters(
                () -> alone, lost::get, waited::get, relayed::get, fallbacks::get, copied::get, registry);
        assertThat(registry.scrape()).contains("millrace_cluster_leases_lost_total 0.0");

        lost.set(3);
        waited.set(5);
        relayed.set(7);
        fallbacks.set(9);
        copied.set(11);

        assertThat(registry.scrape())
                .contains(
                        "millrace_cluster_leases_lost_total 3.0",
                        "millrace_cluster_writes_waited_total 5.0",
                        "millrace_cluster_relayed_reads_total 7.0",
                        "millrace_cluster_fallbacks_total 9.0",
                        "millrace_cluster_copied_bytes_total 11.0");
        assertThat(meters.collect().size()).isPositive();
    }
}
