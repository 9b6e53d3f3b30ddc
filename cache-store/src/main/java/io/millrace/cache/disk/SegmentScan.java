package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;

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
        RecordHeader header = RecordHeader.read(file, end).orElse(null);
        if (header == null || end + header.recordBytes() > size) {
            return false;
        }
        found.add(Footer.Line.of(header, end));
        end += header.recordBytes();
        return true;
    }
}
