package io.millrace.gateway.job;

/** A line of a journal: an object and how it ended. */
record JournalLine(String key, Ended.Outcome outcome, long bytes, long moved) {
    static JournalLine of(String key, Ended ended) {
        return new JournalLine(key, ended.outcome(), ended.bytes(), ended.moved());
    }

    Ended ended() {
        return new Ended(outcome, bytes, moved, "");
    }
}
