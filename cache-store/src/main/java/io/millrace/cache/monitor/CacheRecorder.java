package io.millrace.cache.monitor;

/** What the store tells of itself. Called from any thread; must be quick. */
public interface CacheRecorder {
    /** One that does nothing. */
    CacheRecorder NONE = new CacheRecorder() {};

    /** A record of {@code bytes} was written. */
    default void stored(long bytes) {}

    /** A record of {@code bytes} was not written: no disk takes it, or writing failed. */
    default void notStored(long bytes) {}

    /** A record of {@code bytes} was not written: what would have gone for it is worth more. */
    default void notAdmitted(long bytes) {}

    /** A segment of {@code bytes} was removed, {@code kept} of them copied forward. */
    default void evicted(long bytes, long kept) {}

    /** A body or head did not check, and was dropped. */
    default void corrupt() {}

    /** So many bytes were looked at that nobody had asked for. */
    default void scrubbed(long bytes) {}

    /** A disk failed to read or write. */
    default void diskError() {}

    /** A request to a backend began. */
    default void fetch() {}

    /** So many bytes came from a backend. */
    default void fetched(long bytes) {}

    /** A reader follows a fill that another began. */
    default void joined() {}

    /** So many bytes were served from disk. */
    default void served(long bytes) {}
}
