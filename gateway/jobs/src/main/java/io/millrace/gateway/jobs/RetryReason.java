package io.millrace.gateway.jobs;

/** The failure after which a run of a job tries again, so that its owner sees why it gets no further. Thread-safe. */
final class RetryReason {
    private volatile String text = "";

    /** Remembers a failure that is about to be retried. */
    void remember(Throwable failure) {
        text = "tries again after a failure: " + FailureClassifier.text(failure);
    }

    /** Forgets the failure, because the run has got further since. */
    void forget() {
        text = "";
    }

    /** Returns what the owner is told; empty if nothing is retried. */
    String text() {
        return text;
    }
}
