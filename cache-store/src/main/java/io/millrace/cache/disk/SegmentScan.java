package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/** Finds the records of a segment that was not sealed, up to the first that is not whole. */
final class SegmentScan {
    private final FileChannel file;
    private final long size;
    private final Footer found = new Footer();
    private long end = Segment.HEADER;

    private SegmentScan(FileChannel file, long size) {
        this.file = file;
        this.size = size;
    }

    static SegmentScan of(FileChannel file) throws IOException {
        SegmentScan scan = new SegmentScan(file, file.size());
        while (scan.next()) {
            // Each step adds a record.
        }
        return scan;
    }

    Footer found() {
        return found;
    }

    /** Where the last whole record ends. */
    long end() {
        return end;
    }

    private boolean next() throws IOException {
        ByteBuffer fixed = ByteBuffer.allocate(RecordHeader.FIXED);
        if (!Segment.readFully(file, fixed, end)) {
            return false;
        }
        Optional<RecordHeader> header = RecordHeader.decodeFixed(fixed);
        if (header.isEmpty() || end + header.get().recordBytes() > size) {
            return false;
        }
        ByteBuffer before = ByteBuffer.allocate(header.get().beforeBody());
        if (!Segment.readFully(file, before, end) || !header.get().checks(before)) {
            return false;
        }
        found.add(Footer.Line.of(header.get(), end));
        end += header.get().recordBytes();
        return true;
    }
}
