package io.millrace.kit.async;

import java.util.HashMap;
import java.util.Map;

/**
 * An amount of something, such as memory, of which nobody holds more than is left free for others: one alone gets half
 * of it, and whoever comes later half of what is left, so no few can take all. Thread-safe.
 *
 * @param <K> who holds a part
 */
public final class SharedRoom<K> {
    private final Map<K, Long> held = new HashMap<>();
    private long free;

    public SharedRoom(long amount) {
        free = amount;
    }

    /**
     * Takes a part for {@code who} and returns true; or takes nothing, because less would be free than {@code who}
     * holds.
     */
    public synchronized boolean take(K who, long part) {
        long his = held.getOrDefault(who, 0L) + part;
        if (his > free - part) {
            return false;
        }
        held.put(who, his);
        free -= part;
        return true;
    }

    /** Gives back a part of what {@code who} has taken. */
    public synchronized void release(K who, long part) {
        free += part;
        held.computeIfPresent(who, (same, his) -> his == part ? null : his - part);
    }
}
