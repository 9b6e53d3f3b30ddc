package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.store.TaskResult;

/**
 * Callback that receives the result of each task (one object) of a job. The job thread calls it, so it must not block.
 */
public interface TaskResultListener {
    /** A listener that does nothing. */
    TaskResultListener NONE = (kind, ended) -> {};

    /**
     * Called when the task of an object has ended, after its last attempt.
     *
     * @param kind of the job, in the word of requests
     */
    void ended(String kind, TaskResult ended);
}
