package io.millrace.cache.disk;

import io.millrace.cache.monitor.CacheEventListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reporter of corrupt records of segment files. Safe for use by any number of threads. */
record CorruptRecordReporter(CacheEventListener recorder) {
    private static final Logger log = LoggerFactory.getLogger(CorruptRecordReporter.class);

    /**
     * Logs and counts a record that is corrupt, unless it was withdrawn, which a footer does not tell: then nothing
     * is wrong with the disk. Reads its header.
     *
     * @param start of the record in the segment, in bytes
     * @return whether it is corrupt
     */
    boolean report(Segment segment, long start) {
        if (RecordHeader.isWithdrawn(segment.file(), start)) {
            return false;
        }
        log.warn("A record of {} at {} is corrupt: removed", segment.path(), start);
        recorder.corrupt();
        return true;
    }
}
