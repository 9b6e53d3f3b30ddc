package io.millrace.gateway.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The stores that the names of backends mean to this member, so that two members do not mean different ones.
 * Thread-safe.
 */
final class PeerStores {
    private final Supplier<Map<String, String>> stores;
    private final PeerKey key;

    PeerStores(Supplier<Map<String, String>> stores, PeerKey key) {
        this.stores = stores;
        this.key = key;
    }

    /** Returns the fingerprint of each store, by the backend's name. */
    Map<String, String> fingerprints() {
        return stores.get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> key.fingerprint(entry.getValue()), (a, b) -> a, TreeMap::new));
    }

    /** Requires that no backend that both have is another store; one that only one of them has is of no concern. */
    void requireSame(Map<String, String> others) throws RefusedMessageException {
        Map<String, String> own = fingerprints();
        TreeSet<String> differing = own.entrySet().stream()
                .filter(entry ->
                        others.containsKey(entry.getKey()) && !entry.getValue().equals(others.get(entry.getKey())))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        if (!differing.isEmpty()) {
            throw new RefusedMessageException(PeerRefusal.Reason.OTHER_STORE, String.join(", ", differing));
        }
    }
}
