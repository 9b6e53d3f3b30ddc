package io.millrace.cache.fill;

/**
 * The properties of a source of blocks that decide what the cache does with its bytes beside serving them. Concurrent
 * readers share a fetch from any source.
 *
 * @param storing which blocks are stored on disks; those that a prefetch waits for always are
 * @param place where the bytes come from
 * @param sequential whether a fetch of any bytes works through the whole object, so that one that has brought some
 *     goes on to the object's end, read or not: the next reader then finds its bytes, and all that stay were compared,
 *     unless it has failed on its way or the process has ended: then the next one that gets to the end compares them
 */
public record SourceTraits(Storing storing, Place place, boolean sequential) {
    public static final SourceTraits BACKEND = new SourceTraits(Storing.ALWAYS, Place.BACKEND, false);

    /** The traits of another gateway that has the bytes, and stores them for this one too. */
    public static final SourceTraits PEER = new SourceTraits(Storing.WHEN_READ_OFTEN, Place.PEER, false);

    /** The traits of another gateway that may have the bytes for now, before the backend. */
    public static final SourceTraits HOLDER = new SourceTraits(Storing.ALWAYS, Place.HOLDER, false);

    /** The traits of what this gateway makes of other objects' bytes, from the first one on. */
    public static final SourceTraits MADE = new SourceTraits(Storing.ALWAYS, Place.HERE, true);

    /** The rule by which blocks are stored. */
    public enum Storing {
        /** As admission decides. */
        ALWAYS,
        /** Only what admission would evict something for, also where there is room. */
        WHEN_READ_OFTEN,
        NEVER
    }

    /** The place that the bytes of a source come from. */
    public enum Place {
        /** They are counted and timed as fetches. */
        BACKEND,
        /** Another gateway, which may wait for this one's memory as this one waits for its. */
        PEER,
        /** Another gateway that has them and waits for nobody, or else the backend. */
        HOLDER,
        /** This gateway, which makes them of others. */
        HERE
    }

    /** Returns whether the bytes come from a backend. */
    boolean ofBackend() {
        return place == Place.BACKEND;
    }
}
