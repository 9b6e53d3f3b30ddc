package io.millrace.loadgen;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the failed operations of a phase by reason, with an example of each. Thread-safe; it holds a bounded number of
 * reasons.
 */
final class FailureCounter {
    private static final int MOST = 50;
    private static final String OTHER = "other reasons";

    private final Map<String, FailureCount> failures = new LinkedHashMap<>();
    private String latest = "";

    synchronized void add(Measurement measurement) {
        String reason =
                failures.size() < MOST || failures.containsKey(measurement.failure()) ? measurement.failure() : OTHER;
        latest = reason;
        failures.merge(
                reason,
                new FailureCount(reason, 1, measurement.key()),
                (known, one) -> new FailureCount(reason, known.count() + 1, known.example()));
    }

    /** Returns the latest reason; empty if nothing failed yet. */
    synchronized String latest() {
        return latest;
    }

    /** Returns all reasons, the most frequent first. */
    synchronized List<FailureCount> results() {
        return failures.values().stream()
                .sorted((a, b) -> Long.compare(b.count(), a.count()))
                .toList();
    }
}
