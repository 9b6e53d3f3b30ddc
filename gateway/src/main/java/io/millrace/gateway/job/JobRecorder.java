package io.millrace.gateway.job;

/** Told what jobs do; by the job thread, so it must not block. */
public interface JobRecorder {
    /** Keeps nothing. */
    JobRecorder NONE = (kind, ended) -> {};

    /** An object has had its turn. */
    void ended(JobKind kind, Ended ended);
}
