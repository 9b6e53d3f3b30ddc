package io.millrace.gateway.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.TaskResultListener;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.monitor.MeterName;
import java.util.Locale;

/** Updates the meters of jobs: by state, their objects and bytes, times of schedules, and messages of webhooks. */
record JobMeters(MeterRegistry registry) implements TaskResultListener {
    /** Registers gauges of the number of jobs in each state. */
    void watch(JobService jobs) {
        for (JobState state : JobState.values()) {
            Gauge.builder(MeterName.JOBS.wireName(), jobs, all -> (double) all.count(state))
                    .description(MeterName.JOBS.description())
                    .tag("state", state.text())
                    .register(registry);
        }
    }

    /** Counts the outcome of a time of a schedule. */
    void timePassed(String schedule, String outcome) {
        count(MeterName.JOB_SCHEDULE_TIMES, "schedule", schedule, outcome);
    }

    /** Counts the outcome of a message of a webhook. */
    void messageEnded(String webhook, String outcome) {
        count(MeterName.JOB_WEBHOOK_MESSAGES, "webhook", webhook, outcome);
    }

    private void count(MeterName meter, String tag, String name, String outcome) {
        Counter.builder(meter.wireName())
                .description(meter.description())
                .tag(tag, name)
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }

    @Override
    public void ended(String kind, TaskResult ended) {
        Counter.builder(MeterName.JOB_OBJECTS.wireName())
                .description(MeterName.JOB_OBJECTS.description())
                .tag("kind", kind)
                .tag("outcome", ended.outcome().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
        Counter.builder(MeterName.JOB_BYTES.wireName())
                .description(MeterName.JOB_BYTES.description())
                .tag("kind", kind)
                .register(registry)
                .increment((double) ended.moved());
    }
}
