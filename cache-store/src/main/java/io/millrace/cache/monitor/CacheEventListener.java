package io.millrace.cache.monitor;

/**
 * Callback that receives the events of the cache, such as evictions and disk errors, for metrics. Called from any
 * thread; must be fast.
 */
public interface CacheEventListener {
    /** Ignores all events. */
    CacheEventListener NONE = new CacheEventListener() {};

    /** A record of {@code bytes} was written. */
    default void stored(long bytes) {}

    /** A record of {@code bytes} was not written, because no disk takes writes or the write failed. */
    default void notStored(long bytes) {}

    /** A record of {@code bytes} was not admitted, because its victims are worth more. */
    default void notAdmitted(NonAdmissionReason reason, long bytes) {}

    /** A segment of {@code bytes} was evicted, {@code copied} of them copied forward. */
    default void evicted(EvictionReason reason, long bytes, long copied) {}

    /**
     * A block of {@code bytes} was removed, because its prefix or bucket is beyond its quota. Its segment is evicted
     * later.
     */
    default void removedForQuota(long bytes) {}

    /** A record failed its checksum and was dropped. */
    default void corrupt() {}

    /** The bytes of an object that a backend sent whole did not have the checksum that it gave, and were refused. */
    default void checksumMismatch() {}

    /** The scrub verified {@code bytes}. */
    default void scrubbed(long bytes) {}

    /** A read or a write of a disk failed. */
    default void diskError() {}

    /** A request to a backend began. */
    default void fetch() {}

    /** {@code bytes} were received from a backend. */
    default void fetched(long bytes) {}

    /** A reader coalesced with a fill that another request began. */
    default void collapsed() {}

    /** {@code bytes} were served from disks. */
    default void served(long bytes) {}
}
