package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.plan.ObjectFilter;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobEvent.Kind;
import io.millrace.gateway.jobs.store.JobTransitions.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code job.json}: the request, the owner and the state of a job.
 *
 * @param format of the file; {@link #FORMAT}
 * @param events the last {@link #MOST_EVENTS}, the oldest first; an earlier version did not write them
 */
public record StoredJob(
        int format,
        String id,
        String owner,
        RawJobRequest request,
        JobState state,
        String message,
        Instant submitted,
        @Nullable Instant begun,
        @Nullable Instant ended,
        long activeMillis,
        @Nullable List<JobEvent> events) {
    static final int FORMAT = 1;

    /** A job that fails and is resumed by a script must not grow. */
    static final int MOST_EVENTS = 64;

    /**
     * Bytes of a job with a small request and some events, about; {@link #TEXT} is the overhead of each text in a list.
     */
    private static final long JOB = 3072;

    private static final long TEXT = 64;

    public static StoredJob submitted(String id, String owner, RawJobRequest request, Instant now) {
        return new StoredJob(FORMAT, id, owner, request, JobState.SUBMITTED, "", now, null, null, 0, List.of());
    }

    /** Returns this job with a running state. */
    public StoredJob begun(JobState working, Instant now) {
        return changed(working, "", begun == null ? now : begun, null, activeMillis, events);
    }

    /** Returns this job in another state, which is not its last. */
    public StoredJob inState(JobState changed) {
        return changed(changed, message, begun, ended, activeMillis, events);
    }

    /** Returns this job in a state without a run, with the time that it has run. */
    public StoredJob stopped(JobState stopped, String why, Instant now, long worked) {
        // A paused job continues.
        Instant end = stopped == JobState.PAUSED ? null : now;
        return changed(stopped, why, begun, end, activeMillis + worked, events);
    }

    /** Returns this job waiting to run again. */
    public StoredJob waiting(JobState waiting) {
        return changed(waiting, "", begun, null, activeMillis, events);
    }

    /** Returns the state after an event that the state of this job allows. */
    public JobState after(Event event) {
        return JobTransitions.next(state, event)
                .orElseThrow(() -> new IllegalStateException("%s of a job that is %s".formatted(event, state)));
    }

    /** Returns this job with another event. */
    public StoredJob with(JobEvent event) {
        List<JobEvent> before = history();
        List<JobEvent> all = Stream.concat(
                        before.stream().skip(Math.max(0, before.size() + 1 - MOST_EVENTS)), Stream.of(event))
                .toList();
        return changed(state, message, begun, ended, activeMillis, all);
    }

    private StoredJob changed(
            JobState next,
            String why,
            @Nullable Instant first,
            @Nullable Instant last,
            long millis,
            @Nullable List<JobEvent> all) {
        return new StoredJob(format, id, owner, request, next, why, submitted, first, last, millis, all);
    }

    /**
     * Returns the job as a new process goes on with it: waiting if it ran, paused if it was about to be, otherwise as
     * it is.
     *
     * @param worked how long it had run when a kill ended it; see {@link JobFolder#lastRun}
     */
    public StoredJob restored(Instant now, Duration worked) {
        JobState next = after(Event.RESTART);
        return switch (state) {
            case PAUSING -> stopped(next, "", now, 0);
            case PLANNING, RUNNING ->
                stopped(state, "", now, worked.toMillis())
                        .waiting(next)
                        .with(JobEvent.of(Kind.RESTARTED_AFTER_KILL, "", now));
            case SUBMITTED -> wasInterrupted() ? with(JobEvent.of(Kind.RESTARTED, "", now)) : this;
            default -> this;
        };
    }

    /** Returns whether it ran when the process ended, which a stop would have changed. */
    public boolean wasRunning() {
        return state == JobState.PLANNING || state == JobState.RUNNING;
    }

    private boolean wasInterrupted() {
        List<JobEvent> all = history();
        return !all.isEmpty() && all.get(all.size() - 1).is(Kind.STOPPED);
    }

    /** Returns the events, the oldest first. */
    public List<JobEvent> history() {
        return events == null ? List.of() : List.copyOf(events);
    }

    /**
     * Returns the bytes of memory that the job takes, about, with its parsed request until it is over. Texts outside of
     * lists are short.
     */
    public long weight() {
        RawJobRequest.From from = request.from();
        if (from == null) {
            return JOB;
        }
        long patterns = state.isOver() ? 0 : ObjectFilter.weight(from.prefix(), from.glob(), from.regex());
        return JOB + weight(from.keys()) + weight(from.urls()) + patterns;
    }

    private static long weight(@Nullable List<String> texts) {
        return texts == null
                ? 0
                : texts.stream().mapToLong(text -> TEXT + text.length()).sum();
    }
}
