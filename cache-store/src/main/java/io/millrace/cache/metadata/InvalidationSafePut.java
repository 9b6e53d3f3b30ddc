package io.millrace.cache.metadata;

import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;

/**
 * Puts values into a concurrent map so that a concurrent invalidation cannot miss them. An invalidation that marks
 * values as stale and then iterates over the map's keys misses a value that is just being computed under a new key.
 * Therefore the key is first reserved with an empty value, and then the value's validity is checked: either the check
 * sees the invalidation, or the invalidation finds the key. Neither waits for more than one computation of the other.
 * Thread-safe.
 */
public final class InvalidationSafePut {
    private InvalidationSafePut() {}

    /**
     * Replaces the value of a key if the new value is valid.
     *
     * @param counts returns whether the value is valid; called once or more often, while the key is locked
     * @return the last result of {@code counts}
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
            // An invalidation may remove the reservation while it targets another or an older value.
        } while (!placed && counted[0]);
        return counted[0];
    }

    /** Puts a valid value if the key is absent and no other put of it is running. */
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
