package io.millrace.gateway.app;

import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.objects.monitor.MeterName;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/**
 * Computes age and progress of the oldest active jobs.
 *
 * @param active returns the active jobs, the oldest first
 */
record ActiveJobsCollector(Supplier<List<JobStatus>> active, InstantSource clock) implements MultiCollector {
    private static final int MOST = 100;
    private static final int PERCENT = 100;

    @Override
    public MetricSnapshots collect() {
        MetricFamily ages = new MetricFamily(MeterName.JOB_AGE);
        MetricFamily shares = new MetricFamily(MeterName.JOB_PROGRESS);
        active.get().stream().limit(MOST).forEach(job -> {
            String[] labels = {
                job.id(), String.valueOf(job.request().kind()), job.state().text()
            };
            ages.gauge(
                    (double) Math.max(
                            0,
                            Duration.between(job.submitted(), clock.instant()).toSeconds()),
                    labels);
            job.report().percent().ifPresent(percent -> shares.gauge(percent / PERCENT, labels));
        });
        return MetricFamily.snapshots(ages, shares);
    }
}
