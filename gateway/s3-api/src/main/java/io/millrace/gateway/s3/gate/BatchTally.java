package io.millrace.gateway.s3.gate;

import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The count of the items of a batch by what became of them. Those that a batch did not come to count as nothing, and
 * each member of a sample as an item. Thread-safe.
 */
public final class BatchTally {
    private final AtomicInteger items;
    private final ConcurrentMap<Outcome, Integer> counts = new ConcurrentHashMap<>();

    /** The fate of an item. */
    public enum Outcome {
        /** It was sent, and nothing had to be fetched for its first bytes. */
        HIT,
        /** It was sent. */
        FETCHED,
        /** There is no such object. */
        ABSENT,
        /** The caller may not read it, or may not learn that it is absent. */
        DENIED,
        /** It could not be had for another reason. */
        FAILED;

        /** Returns the name in meters. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param items the number of items that are asked for */
    public BatchTally(int items) {
        this.items = new AtomicInteger(items);
    }

    /** Adds what an item turned out to have beyond one. */
    public void addItems(int more) {
        items.addAndGet(more);
    }

    /** Adds an item that ended so. */
    public void add(Outcome outcome) {
        counts.merge(outcome, 1, Integer::sum);
    }

    /** Returns the number of items that were asked for, as far as that is known. */
    public int items() {
        return items.get();
    }

    /** Returns the number of items that ended in one of these ways. */
    public int count(Outcome... outcomes) {
        int sum = 0;
        for (Outcome outcome : outcomes) {
            sum += counts.getOrDefault(outcome, 0);
        }
        return sum;
    }
}
