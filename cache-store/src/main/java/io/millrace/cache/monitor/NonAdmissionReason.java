package io.millrace.cache.monitor;

/**
 * The reason for which a block was not admitted: the resource that it would have needed is taken by blocks that are
 * worth as much.
 */
public enum NonAdmissionReason {
    /** The disks are full. */
    CAPACITY,
    /** The index of all blocks is full. */
    INDEX_MEMORY,
    /** The quota of its bucket or prefix is used up. */
    QUOTA
}
