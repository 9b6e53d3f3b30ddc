package io.millrace.gateway.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.job.Ended;
import io.millrace.gateway.job.JobKind;
import io.millrace.gateway.job.JobRecorder;
import io.millrace.gateway.job.JobState;
import io.millrace.gateway.job.Jobs;
import io.millrace.gateway.observe.Meter;
import java.util.Locale;

/** Keeps the meters of jobs. */
final class JobMeters implements JobRecorder {
    private final MeterRegistry registry;

    JobMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Shows how many jobs are in which state. */
    void watch(Jobs jobs) {
        for (JobState state : JobState.values()) {
            Gauge.builder(Meter.JOBS.wireName(), jobs, all -> (double) all.count(state))
                    .description(Meter.JOBS.description())
                    .tag("state", state.text())
                    .register(registry);
        }
    }

    @Override
    public void ended(JobKind kind, Ended ended) {
        Counter.builder(Meter.JOB_OBJECTS.wireName())
                .description(Meter.JOB_OBJECTS.description())
                .tag("kind", kind.text())
                .tag("outcome", ended.outcome().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
        Counter.builder(Meter.JOB_BYTES.wireName())
                .description(Meter.JOB_BYTES.description())
                .tag("kind", kind.text())
                .register(registry)
                .increment((double) ended.moved());
    }
}
