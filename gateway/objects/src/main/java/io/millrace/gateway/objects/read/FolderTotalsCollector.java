package io.millrace.gateway.objects.read;

import io.millrace.gateway.objects.read.CacheResidency.FolderListing;
import io.millrace.gateway.objects.read.CacheResidency.ResidencyTotals;
import java.util.TreeMap;

/**
 * Adds up the objects and bytes, cached ones apart, of each folder directly below a prefix, in bounded memory. Not
 * thread-safe.
 */
final class FolderTotalsCollector {
    private final String prefix;
    private final String delimiter;
    private final int maxChildren;
    private final TreeMap<String, ResidencyTotals> byName = new TreeMap<>();
    private ResidencyTotals all = ResidencyTotals.NONE;
    private ResidencyTotals others = ResidencyTotals.NONE;

    /** @param delimiter ends the name of a folder; without one there are no children */
    FolderTotalsCollector(String prefix, String delimiter, int maxChildren) {
        this.prefix = prefix;
        this.delimiter = delimiter;
        this.maxChildren = maxChildren;
    }

    /** @param key a key that begins with the prefix */
    void add(String key, ResidencyTotals one) {
        all = all.plus(one);
        if (delimiter.isEmpty()) {
            return;
        }
        String name = name(key);
        if (byName.containsKey(name) || byName.size() < maxChildren) {
            byName.merge(name, one, ResidencyTotals::plus);
        } else {
            others = others.plus(one);
        }
    }

    FolderListing sum() {
        return new FolderListing(all, byName, others);
    }

    private String name(String key) {
        int end = key.indexOf(delimiter, prefix.length());
        return end < 0 ? key : key.substring(0, end + delimiter.length());
    }
}
