package io.millrace.cache.fill;

/**
 * The properties of a source of blocks that decide what the cache does with its bytes beside serving them. Concurrent
 * readers share a fetch from any source.
 *
 * @param storing which blocks are stored on disks; those that a prefetch waits for always are
 * @param ofBackend whether the bytes come from a backend and are counted and timed as such
 * @param sequential whether a fetch of any bytes works through the whole object, so that one that has brought some
 *     goes on to the object's end, read or not: the next reader then finds its bytes, and all that stay were compared,
 *     unless it has failed on its way or the process has ended: then the next one that gets to the end compares them
 */
public record SourceTraits(Storing storing, boolean ofBackend, boolean sequential) {
    public static final SourceTraits BACKEND = new SourceTraits(Storing.ALWAYS, true, false);

    /** The traits of another gateway that has the bytes, and stores them for this one too. */
    public static final SourceTraits PEER = new SourceTraits(Storing.WHEN_READ_OFTEN, false, false);

    /** The traits of what this gateway makes of other objects' bytes, from the first one on. */
    public static final SourceTraits MADE = new SourceTraits(Storing.ALWAYS, false, true);

    /** The rule by which blocks are stored. */
    public enum Storing {
        /** As admission decides. */
        ALWAYS,
        /** Only what admission would evict something for, also where there is room. */
        WHEN_READ_OFTEN,
        NEVER
    }
}
