package io.millrace.gateway.jobs.store;

/**
 * One line of a job's journal: an object and its result.
 *
 * @param deleted whether the object was deleted as one that the source lacks; an earlier version did not write it
 */
record JournalEntry(String key, TaskResult.Outcome outcome, long bytes, long moved, boolean deleted) {
    static JournalEntry of(String key, TaskResult ended, boolean deleted) {
        return new JournalEntry(key, ended.outcome(), ended.bytes(), ended.moved(), deleted);
    }

    TaskResult ended() {
        return new TaskResult(outcome, bytes, moved, "");
    }
}
