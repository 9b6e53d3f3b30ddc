package io.millrace.gateway.cli;

import java.time.Instant;

/** Shows how a job goes on. Its methods are called by one thread at a time. */
interface Display {
    /** The job now, perhaps as it was. */
    void show(JobSnapshot job, Instant now);

    /** Something to say beside the job; whatever is drawn is out of its way then. */
    void say(String message);

    /** The job is at rest. */
    void end(JobSnapshot job);
}
