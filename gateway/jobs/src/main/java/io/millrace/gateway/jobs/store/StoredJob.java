package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.request.JobRequest;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code job.json} holds.
 *
 * @param format of the file; {@link #FORMAT}
 */
public record StoredJob(
        int format,
        String id,
        String owner,
        JobRequest request,
        JobState state,
        String message,
        Instant submitted,
        @Nullable Instant begun,
        @Nullable Instant ended,
        long activeMillis) {
    static final int FORMAT = 1;

    /** Of a job that asks for little, and of each text in a list beside its letters. */
    private static final long JOB = 2048;

    private static final long TEXT = 64;

    public static StoredJob submitted(String id, String owner, JobRequest request, Instant now) {
        return new StoredJob(FORMAT, id, owner, request, JobState.SUBMITTED, "", now, null, null, 0);
    }

    /** The same at work. */
    public StoredJob begun(JobState working, Instant now) {
        return new StoredJob(
                format, id, owner, request, working, "", submitted, begun == null ? now : begun, null, activeMillis);
    }

    /** The same in another state, which is not its last. */
    public StoredJob inState(JobState changed) {
        return new StoredJob(format, id, owner, request, changed, message, submitted, begun, ended, activeMillis);
    }

    /** The same in another state, after some time of work. */
    public StoredJob stopped(JobState stopped, String why, Instant now, long worked) {
        // It goes on: that was no end.
        Instant end = stopped == JobState.PAUSED ? null : now;
        return new StoredJob(format, id, owner, request, stopped, why, submitted, begun, end, activeMillis + worked);
    }

    /** The same, which will be taken up again. */
    public StoredJob waiting() {
        return new StoredJob(format, id, owner, request, JobState.SUBMITTED, "", submitted, begun, null, activeMillis);
    }

    /** Bytes of memory that it takes, about. Texts other than those in lists are short. */
    public long weight() {
        JobRequest.From from = request.from();
        return from == null ? JOB : JOB + weight(from.keys()) + weight(from.urls());
    }

    private static long weight(@Nullable List<String> texts) {
        return texts == null
                ? 0
                : texts.stream().mapToLong(text -> TEXT + text.length()).sum();
    }
}
