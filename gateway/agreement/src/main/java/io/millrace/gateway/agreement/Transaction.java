package io.millrace.gateway.agreement;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Changes that are made together if all compares hold, within {@link AgreedLimits}. */
record Transaction(List<RevisionCompare> compares, List<Change> changes) {
    Transaction {
        compares = List.copyOf(compares);
        changes = List.copyOf(changes);
        Set<String> keys = new HashSet<>();
        long bytes = 0;
        for (RevisionCompare compare : compares) {
            bytes += compare.key().length();
        }
        for (Change change : changes) {
            bytes += sizeOf(change);
            if (!keys.add(change.key())) {
                throw new IllegalArgumentException("a transaction changes a key once: " + change.key());
            }
        }
        if (changes.isEmpty() || compares.size() + changes.size() > AgreedLimits.MOST_PARTS) {
            throw new IllegalArgumentException("a transaction has a change, and at most %d compares and changes"
                    .formatted(AgreedLimits.MOST_PARTS));
        }
        if (bytes > AgreedLimits.MOST_TRANSACTION) {
            throw new IllegalArgumentException(
                    "a transaction has at most %d bytes, not %d".formatted(AgreedLimits.MOST_TRANSACTION, bytes));
        }
    }

    private static int sizeOf(Change change) {
        int value = change instanceof Change.Put put ? AgreedLimits.sizeOf(put.value()) : 0;
        return change.key().length() + value;
    }
}
