package io.millrace.cache.monitor;

import java.nio.file.Path;

/**
 * A snapshot of a disk's condition and sizes.
 *
 * @param why the reason for the condition; empty if the condition explains itself
 * @param size bytes that segments may take according to the settings
 * @param used bytes that segments take
 * @param limit bytes that segments may take now; less than {@code size} if the file system has less room, 0 for a lost
 *     disk
 * @param waiting bytes in the write queue
 * @param segments number of segment files, with the one being written
 */
public record DiskSnapshot(
        Path path, Condition condition, String why, long size, long used, long limit, long waiting, int segments) {
    /** The condition of a disk, from the worst to the best. */
    public enum Condition {
        /** The disk is not part of the cache until an operator returns it or the server restarts. */
        LOST,
        /** The disk cannot be read or hangs. It is neither read nor written, and is retried. */
        FAILING,
        /** Writes fail or hang and are retried after a pause. Reads continue. */
        PAUSED,
        /** The file system is full. Reads continue. */
        FULL,
        /** The disk's segments are being recovered; blocks not recovered yet are misses. */
        RECOVERING,
        HEALTHY
    }
}
