package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.request.RawJobRequest;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code job.json}: the request, the owner and the state of a job.
 *
 * @param format of the file; {@link #FORMAT}
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
        long activeMillis) {
    static final int FORMAT = 1;

    /** Bytes of a job with a small request, about; {@link #TEXT} is the overhead of each text in a list. */
    private static final long JOB = 2048;

    private static final long TEXT = 64;

    public static StoredJob submitted(String id, String owner, RawJobRequest request, Instant now) {
        return new StoredJob(FORMAT, id, owner, request, JobState.SUBMITTED, "", now, null, null, 0);
    }

    /** Returns this job with a running state. */
    public StoredJob begun(JobState working, Instant now) {
        return new StoredJob(
                format, id, owner, request, working, "", submitted, begun == null ? now : begun, null, activeMillis);
    }

    /** Returns this job in another state, which is not its last. */
    public StoredJob inState(JobState changed) {
        return new StoredJob(format, id, owner, request, changed, message, submitted, begun, ended, activeMillis);
    }

    /** Returns this job in a state without a run, with the time that it has run. */
    public StoredJob stopped(JobState stopped, String why, Instant now, long worked) {
        // A paused job continues.
        Instant end = stopped == JobState.PAUSED ? null : now;
        return new StoredJob(format, id, owner, request, stopped, why, submitted, begun, end, activeMillis + worked);
    }

    /** Returns this job waiting to run again. */
    public StoredJob waiting() {
        return new StoredJob(format, id, owner, request, JobState.SUBMITTED, "", submitted, begun, null, activeMillis);
    }

    /** Returns the bytes of memory that the job takes, about. Texts outside of lists are short. */
    public long weight() {
        RawJobRequest.From from = request.from();
        return from == null ? JOB : JOB + weight(from.keys()) + weight(from.urls());
    }

    private static long weight(@Nullable List<String> texts) {
        return texts == null
                ? 0
                : texts.stream().mapToLong(text -> TEXT + text.length()).sum();
    }
}
