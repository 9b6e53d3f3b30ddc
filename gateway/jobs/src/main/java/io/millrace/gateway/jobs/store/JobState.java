package io.millrace.gateway.jobs.store;

import java.util.Locale;

/** The states of a job. */
public enum JobState {
    /** Stored, and waiting to run. */
    SUBMITTED,
    /** Running, and still counting its objects. */
    PLANNING,
    /** Running. */
    RUNNING,
    /** Pausing on request; its last requests still run. */
    PAUSING,
    /** Paused on request; it can be resumed. */
    PAUSED,
    /** Ended; every object is done or was skipped. */
    DONE,
    /** Ended; some objects failed. */
    DONE_WITH_FAILURES,
    /** Failed as a whole. Its message names the cause, after whose repair it can be resumed. */
    FAILED,
    /** Cancelling on request; its last requests still run, or its uploads are being aborted. */
    CANCELLING,
    /** Cancelled on request. */
    CANCELLED;

    /** Returns the word that the API uses, as {@code done-with-failures}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns true if the state will change without a request. */
    public boolean isActive() {
        return isToWork() || this == PAUSING || this == CANCELLING;
    }

    /** Returns true if the job runs or waits to run. */
    public boolean isToWork() {
        return this == SUBMITTED || this == PLANNING || this == RUNNING;
    }

    /** Returns true if the job will never run again. */
    public boolean isOver() {
        return this == DONE || this == DONE_WITH_FAILURES || this == CANCELLED;
    }
}
