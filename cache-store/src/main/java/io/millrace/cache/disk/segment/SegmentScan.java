package io.millrace.cache.disk.segment;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** Finds the records of a segment without a footer, up to the first incomplete one. */
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

    /** @param step called after each record */
    static SegmentScan of(FileChannel file, Runnable step) throws IOException {
        SegmentScan scan = begin(file);
        while (scan.next()) {
            step.run();
        }
        return scan;
    }

    /** Returns a scan before the first record. */
    static SegmentScan begin(FileChannel file) throws IOException {
        return new SegmentScan(file, file.size());
    }

    /** Finds the next record, even if it was written since the last call; returns whether there is one. */
    boolean more() throws IOException {
        size = file.size();
        return next();
    }

    public Footer found() {
        return found;
    }

    /** Returns the end of the last complete record. */
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
