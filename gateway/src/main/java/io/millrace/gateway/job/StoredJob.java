package io.millrace.gateway.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What {@code job.json} holds.
 *
 * @param format of the file; {@link #FORMAT}
 */
record StoredJob(
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

    static StoredJob submitted(String id, String owner, JobRequest request, Instant now) {
        return new StoredJob(FORMAT, id, owner, request, JobState.SUBMITTED, "", now, null, null, 0);
    }

    /** The same at work. */
    StoredJob begun(JobState working, Instant now) {
        return new StoredJob(
                format, id, owner, request, working, "", submitted, begun == null ? now : begun, null, activeMillis);
    }

    /** The same in another state, after some time of work. */
    StoredJob stopped(JobState stopped, String why, Instant now, long worked) {
        return new StoredJob(format, id, owner, request, stopped, why, submitted, begun, now, activeMillis + worked);
    }

    /** The same, which will be taken up again. */
    StoredJob waiting() {
        return new StoredJob(format, id, owner, request, JobState.SUBMITTED, "", submitted, begun, null, activeMillis);
    }
}
