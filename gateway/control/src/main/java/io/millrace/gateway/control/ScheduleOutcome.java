package io.millrace.gateway.control;

import java.time.Instant;
import java.util.Optional;

/**
 * The outcome of a time of a schedule.
 *
 * @param time when it was due
 * @param outcome {@code started}, {@code skipped}, {@code missed} or {@code failed}
 * @param job the id of the job that it started; empty if it started none
 * @param message why it started none; empty otherwise
 */
record ScheduleOutcome(Instant time, String outcome, Optional<String> job, String message) {
    static final String STARTED = "started";
    static final String SKIPPED = "skipped";
    static final String MISSED = "missed";
    static final String FAILED = "failed";

    static ScheduleOutcome started(Instant time, String job) {
        return new ScheduleOutcome(time, STARTED, Optional.of(job), "");
    }

    /** Returns the outcome of a time that started no job. */
    static ScheduleOutcome of(Instant time, String outcome, String message) {
        return new ScheduleOutcome(time, outcome, Optional.empty(), message);
    }
}
