package io.millrace.cache.disk;

import io.millrace.cache.BlockCache;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * What of the index is in a group, counted one by one.
 *
 * @param heads those of object records too
 * @param bytes of blocks
 */
public record CountedEntries(long heads, long blocks, long bytes) {
    /**
     * Counts in a cache in which nothing goes on.
     *
     * @param group its place among {@link BlockCache#counted}
     */
    public static CountedEntries of(BlockCache cache, int group) {
        StoreParts parts = BrokenFiles.parts(cache);
        List<Entry> all = new ArrayList<>();
        // None is taken out, and each is seen.
        boolean unused = parts.index().removeIf(entry -> !all.add(entry)) > 0;
        all.removeIf(entry -> entry.kind() == Kind.TOMBSTONE || !parts.groups().isWithin(entry.group(), group + 1));
        List<Entry> blocks =
                all.stream().filter(entry -> entry.kind() == Kind.BLOCK).toList();
        return new CountedEntries(
                (long) all.size() - blocks.size(),
                blocks.size(),
                blocks.stream().mapToLong(Entry::bodyBytes).sum());
    }
}
