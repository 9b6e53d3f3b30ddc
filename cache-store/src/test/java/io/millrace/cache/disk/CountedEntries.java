package io.millrace.cache.disk;

import io.millrace.cache.BlockCache;
import io.millrace.cache.index.IndexEntry;
import java.util.ArrayList;
import java.util.List;

/**
 * What of the index is in a group, counted one by one.
 *
 * @param bytes of blocks
 */
public record CountedEntries(long blocks, long bytes) {
    /**
     * Counts in a cache in which nothing goes on.
     *
     * @param group its place among {@link BlockCache#counted}
     */
    public static CountedEntries of(BlockCache cache, int group) {
        SharedDiskComponents parts = BrokenFiles.parts(cache);
        List<IndexEntry> all = new ArrayList<>();
        // None is taken out, and each is seen.
        boolean unused = parts.index().removeIf(entry -> !all.add(entry)) > 0;
        all.removeIf(entry -> !parts.groups().isWithin(entry.group(), group + 1));
        return new CountedEntries(
                all.size(), all.stream().mapToLong(IndexEntry::bodyBytes).sum());
    }
}
