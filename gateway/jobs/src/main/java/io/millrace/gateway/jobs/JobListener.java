package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.jobs.request.JobKind;

/** Told what jobs do; by the job thread, so it must not block. */
public interface JobListener {
    /** Keeps nothing. */
    JobListener NONE = (kind, ended) -> {};

    /** An object has had its turn. */
    void ended(JobKind kind, TaskResult ended);
}
