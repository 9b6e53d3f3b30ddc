package io.millrace.cache.fill;

/**
 * The properties of a source of blocks that decide what the cache does with its bytes beside serving them. Concurrent
 * readers share a fetch from any source.
 *
 * @param stored whether blocks are stored on disks; otherwise only those that a prefetch waits for are
 * @param ofBackend whether the bytes come from a backend and are counted and timed as such
 */
public record SourceTraits(boolean stored, boolean ofBackend) {
    public static final SourceTraits BACKEND = new SourceTraits(true, true);
}
