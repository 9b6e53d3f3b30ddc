package io.millrace.cache.monitor;

/** The reason for which a segment was evicted. */
public enum EvictionReason {
    /** The disk is at its limit. */
    CAPACITY,
    /** The index of all blocks is at its limit of memory. */
    INDEX_MEMORY,
    /** The file system has no room, not even for copies of what is worth keeping. */
    NO_ROOM
}
