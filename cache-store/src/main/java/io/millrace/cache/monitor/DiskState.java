package io.millrace.cache.monitor;

import java.nio.file.Path;

/**
 * One disk of the cache at a moment.
 *
 * @param why it is in this condition; empty where the condition tells all
 * @param size bytes that its segments may take as the settings have it
 * @param used bytes that they take
 * @param room bytes that they may take now: less where its file system has less
 * @param waiting bytes that wait to be written
 * @param segments files that are written and can be read
 */
public record DiskState(
        Path path, Condition condition, String why, long size, long used, long room, long waiting, int segments) {
    /** How a disk does, the worst first. */
    public enum Condition {
        /** It has no part in the cache any more, until an operator says so or the next start. */
        LOST,
        /** It cannot be read, or stands still: neither read nor written, and tried again. */
        FAILING,
        /** Writing failed or stands still; it is tried again after a while. What is on it is read. */
        READ_ONLY,
        /** Its file system has no room for what would be written. What is on it is read. */
        FULL,
        /** What earlier runs left on it is still being read; it is a miss until then. */
        RECOVERING,
        HEALTHY
    }
}
