package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** Finds the cached blocks in a segment file that lacks its footer (index), up to the first incomplete block. */
final class UnsealedSegmentScan {
    private final FileChannel file;
    private final long size;
    private final SegmentFooter found = new SegmentFooter();
    private long end = Segment.HEADER;

    private UnsealedSegmentScan(FileChannel file, long size) {
        this.file = file;
        this.size = size;
    }

    static UnsealedSegmentScan of(FileChannel file) throws IOException {
        return of(file, () -> {});
    }

    /** @param step called after each record */
    static UnsealedSegmentScan of(FileChannel file, Runnable step) throws IOException {
        UnsealedSegmentScan scan = new UnsealedSegmentScan(file, file.size());
        while (scan.next()) {
            step.run();
        }
        return scan;
    }

    SegmentFooter found() {
        return found;
    }

    /** Returns the end of the last complete record. */
    long end() {
        return end;
    }

    private boolean next() throws IOException {
        RecordHeader header = RecordHeader.read(file, end).orElse(null);
        if (header == null || end + header.recordBytes() > size) {
            return false;
        }
        if (!header.isWithdrawn()) {
            found.add(SegmentFooterEntry.of(header, end));
        }
        end += header.recordBytes();
        return true;
    }
}
