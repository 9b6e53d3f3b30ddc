package io.millrace.gateway.cli.job;

import io.millrace.gateway.cli.client.JobSnapshot;
import java.time.Instant;

/** Shows the progress of a job to the user. Callers call its methods from one thread at a time. */
interface JobDisplay {
    /** Shows the current state of the job, which may not have changed. */
    void show(JobSnapshot job, Instant now);

    /** Shows a message about something other than the state of the job. */
    void showMessage(String message);

    /** Shows how the job ended. */
    void showEnd(JobSnapshot job);
}
