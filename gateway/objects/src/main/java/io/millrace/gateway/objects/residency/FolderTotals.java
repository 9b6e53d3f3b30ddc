package io.millrace.gateway.objects.residency;

import io.millrace.gateway.objects.residency.CacheResidency.Below;
import io.millrace.gateway.objects.residency.CacheResidency.Residency;
import java.util.TreeMap;

/** Sums up objects by the folders directly below a prefix, in bounded memory. Not thread-safe. */
final class FolderTotals {
    private final String prefix;
    private final String delimiter;
    private final int maxChildren;
    private final TreeMap<String, Residency> byName = new TreeMap<>();
    private Residency others = Residency.NONE;

    FolderTotals(String prefix, String delimiter, int maxChildren) {
        this.prefix = prefix;
        this.delimiter = delimiter;
        this.maxChildren = maxChildren;
    }

    /** @param key a key that begins with the prefix */
    void add(String key, Residency one) {
        String name = name(key);
        if (byName.containsKey(name) || byName.size() < maxChildren) {
            byName.merge(name, one, Residency::plus);
        } else {
            others = others.plus(one);
        }
    }

    Below sum() {
        Residency all = byName.values().stream().reduce(others, Residency::plus);
        return new Below(all, byName, others);
    }

    private String name(String key) {
        int end = key.indexOf(delimiter, prefix.length());
        return end < 0 ? key : key.substring(0, end + delimiter.length());
    }
}
