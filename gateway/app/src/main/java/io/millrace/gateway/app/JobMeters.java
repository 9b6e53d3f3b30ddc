package io.millrace.gateway.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.control.Schedules;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.TaskResultListener;
import io.millrace.gateway.jobs.Webhooks;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.objects.monitor.MeterName;
import java.util.Locale;
import java.util.Set;

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

    /** Registers the counters of schedules: in a series that begins with 1 an alert sees no increase. */
    void watchSchedules(Set<String> names) {
        names.forEach(name -> Schedules.OUTCOMES.forEach(outcome -> times(name, outcome)));
    }

    /** Registers the counters of webhooks, as those of schedules. */
    void watchWebhooks(Set<String> names) {
        names.forEach(name -> Webhooks.OUTCOMES.forEach(outcome -> messages(name, outcome)));
    }

    /** Counts the outcome of a time of a schedule. */
    void timePassed(String schedule, String outcome) {
        times(schedule, outcome).increment();
    }

    /** Counts the outcome of a message of a webhook. */
    void messageEnded(String webhook, String outcome) {
        messages(webhook, outcome).increment();
    }

    private Counter times(String schedule, String outcome) {
        return counter(MeterName.JOB_SCHEDULE_TIMES, "schedule", schedule, outcome);
    }

    private Counter messages(String webhook, String outcome) {
        return counter(MeterName.JOB_WEBHOOK_MESSAGES, "webhook", webhook, outcome);
    }

    private Counter counter(MeterName meter, String tag, String name, String outcome) {
        return Counter.builder(meter.wireName())
                .description(meter.description())
                .tag(tag, name)
                .tag("outcome", outcome)
                .register(registry);
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
