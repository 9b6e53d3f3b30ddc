package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.progress.TaskResult;

/** One line of a job's journal: an object and its result. */
record JournalEntry(String key, TaskResult.Outcome outcome, long bytes, long moved) {
    static JournalEntry of(String key, TaskResult ended) {
        return new JournalEntry(key, ended.outcome(), ended.bytes(), ended.moved());
    }

    TaskResult ended() {
        return new TaskResult(outcome, bytes, moved, "");
    }
}
