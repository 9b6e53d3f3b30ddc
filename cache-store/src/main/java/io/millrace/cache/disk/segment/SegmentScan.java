package io.millrace.cache.disk.segment;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** Finds the records of a segment that was not sealed, up to the first that is not whole. */
public final class SegmentScan {
    private final FileChannel file;
    private long size;
    private final Footer found = new Footer();
    private long end = Segment.HEADER;

    private SegmentScan(FileChannel file, long size) {
        this.file = file;
        this.size = size;
    }

    public static SegmentScan of(FileChannel file) throws IOException {
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

    public Footer found() {
        return found;
    }

    /** Where the last whole record ends. */
    public long end() {
        return end;
    }

    private boolean next() throws IOException {
        RecordHeader header = RecordHeader.read(file, end).orElse(null);
        if (header == null || end + header.recordBytes() > size) {
            return false;
        }
        found.add(FooterEntry.of(header, end));
        end += header.recordBytes();
        return true;
    }
}
