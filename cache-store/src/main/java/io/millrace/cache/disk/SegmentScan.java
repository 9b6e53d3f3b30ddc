package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Finds the records of a segment that was not sealed, up to the first that is not whole. */
final class SegmentScan {
    private final FileChannel file;
    private long size;
    private final Footer found = new Footer();
    private long end = Segment.HEADER;

    private SegmentScan(FileChannel file, long size) {
        this.file = file;
        this.size = size;
    }

    static SegmentScan of(FileChannel file) throws IOException {
        return of(file, () -> {});
    }

    /** @param step run after each record */
    static SegmentScan of(FileChannel file, Runnable step) throws IOException {
        SegmentScan scan = begin(file);
        while (scan.next()) {
            step.run();
        }
        return scan;
    }

    /** Before the first. */
    static SegmentScan begin(FileChannel file) throws IOException {
        return new SegmentScan(file, file.size());
    }

    /** Finds one more, also of what was written meanwhile; whether there was one. */
    boolean more() throws IOException {
        size = file.size();
        return next();
    }

    Footer found() {
        return found;
    }

    /** Where the last whole record ends. */
    long end() {
        return end;
    }

    /** Whether all of the file is records, but for one at its end that was not written to its own: what a kill leaves. */
    boolean isWholeOrTorn() throws IOException {
        long left = size - end;
        if (left < RecordHeader.FIXED) {
            return true;
        }
        ByteBuffer fixed = ByteBuffer.allocate(RecordHeader.FIXED);
        return Segment.readFully(file, fixed, end)
                && RecordHeader.decodeFixed(fixed)
                        .filter(header -> header.recordBytes() > left)
                        .isPresent();
    }

    /** Bytes of the file that are no record. */
    long lost() {
        return size - end;
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
