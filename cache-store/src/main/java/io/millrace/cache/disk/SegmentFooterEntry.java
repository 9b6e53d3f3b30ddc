package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * An entry of a segment file's footer (its index): the position and the key of one cached block.
 *
 * @param key the fingerprint of its block
 * @param start of the record in the segment, in bytes
 * @param bodyStart of the body in the record, in bytes
 * @param label of its residency group
 */
record SegmentFooterEntry(Fingerprint key, long start, int bodyStart, int bodyBytes, int recordBytes, long label) {
    static SegmentFooterEntry of(RecordHeader header, long start) {
        return new SegmentFooterEntry(
                header.key(), start, header.bodyStart(), header.bodyBytes(), header.recordBytes(), header.label());
    }

    /** Returns the record's index entry. */
    IndexEntry entry(int segment) {
        return IndexEntry.of(segment, start, bodyStart, bodyBytes);
    }

    /** Reads the record's identity, which may wait for the disk; empty if the record is corrupt. */
    Optional<ByteBuffer> identity(FileChannel file) throws IOException {
        return RecordHeader.identity(
                file,
                start,
                bodyStart,
                header -> header.bodyStart() == bodyStart && header.key().equals(key));
    }
}
