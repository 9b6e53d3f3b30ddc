package io.millrace.cache.metadata;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts, for each object, the operations of one kind (writes or deletions) that are running. Thread-safe. */
final class RunningOperationCounts {
    private final ConcurrentMap<ObjectId, Integer> underWay = new ConcurrentHashMap<>();

    void begin(ObjectId id) {
        underWay.merge(id, 1, Integer::sum);
    }

    void end(ObjectId id) {
        underWay.computeIfPresent(id, (key, count) -> count == 1 ? null : count - 1);
    }

    boolean contains(ObjectId id) {
        return underWay.containsKey(id);
    }
}
