package io.millrace.cache.async;

import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;

/**
 * Puts into a map what may have become old. Whoever makes things old and then goes over the map's keys does not see what is just being
 * computed under a new one. So a key is reserved first, with an empty value that is nobody's, and then it is looked whether the value
 * counts: either that look sees the change, or whoever made it finds the key. Neither waits for more than one computation of the
 * other. For maps of any number of threads.
 */
public final class ValidatedPut {
    private ValidatedPut() {}

    /**
     * Puts a value that counts in place of whatever is there.
     *
     * @param counts whether it does; called once or more often, while the key is locked
     * @return what it said last
     */
    public static <K, V> boolean put(ConcurrentMap<K, Optional<V>> map, K key, V value, BooleanSupplier counts) {
        boolean[] counted = {true};
        boolean placed;
        do {
            map.putIfAbsent(key, Optional.empty());
            placed = map.computeIfPresent(key, (same, before) -> {
                        counted[0] = counts.getAsBoolean();
                        if (counted[0]) {
                            return Optional.of(value);
                        }
                        return before.isPresent() ? before : null;
                    })
                    != null;
            // Its reservation may be taken away: whoever does that may mean another's, or an older value.
        } while (!placed && counted[0]);
        return counted[0];
    }

    /** Puts a value that counts where nothing is, and nothing is being put. */
    public static <K, V> void putIfAbsent(ConcurrentMap<K, Optional<V>> map, K key, V value, BooleanSupplier counts) {
        if (map.putIfAbsent(key, Optional.empty()) == null) {
            map.computeIfPresent(key, (same, before) -> {
                if (before.isPresent()) {
                    return before;
                }
                return counts.getAsBoolean() ? Optional.of(value) : null;
            });
        }
    }
}
