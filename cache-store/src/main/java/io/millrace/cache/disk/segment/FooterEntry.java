package io.millrace.cache.disk.segment;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * A record of a segment, as its footer has it.
 *
 * @param key the fingerprint it is found by
 * @param start of the record in the segment, in bytes
 * @param bodyStart of the body in the record
 * @param label of its group
 */
public record FooterEntry(Fingerprint key, long start, int bodyStart, int bodyBytes, int recordBytes, long label) {
    public static FooterEntry of(RecordHeader header, long start) {
        return new FooterEntry(
                header.key(), start, header.bodyStart(), header.bodyBytes(), header.recordBytes(), header.label());
    }

    /** Its entry in the index. */
    public IndexEntry entry(int segment) {
        return IndexEntry.of(segment, start, bodyStart, bodyBytes);
    }

    /** Reads whose block it is, which may wait for the disk; empty if the record does not check. */
    public Optional<ByteBuffer> identity(FileChannel file) throws IOException {
        return RecordHeader.identity(
                file,
                start,
                bodyStart,
                header -> header.bodyStart() == bodyStart && header.key().equals(key));
    }
}
