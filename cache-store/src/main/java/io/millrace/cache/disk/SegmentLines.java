package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of a segment, as its list tells, or as they are found in it one after another: then only as far as somebody looks, and
 * farther when more was written. Used by one thread at a time, which holds the segment.
 */
final class SegmentLines {
    private final List<Footer.Line> lines;

    /** What finds more of them; null if a list tells all. */
    private final @Nullable SegmentScan scan;

    private SegmentLines(Footer known, @Nullable SegmentScan scan) {
        this.lines = known.lines();
        this.scan = scan;
    }

    static SegmentLines of(FileChannel file) throws IOException {
        Footer listed = Footer.read(file).orElse(null);
        if (listed != null) {
            return new SegmentLines(listed, null);
        }
        SegmentScan scan = SegmentScan.begin(file);
        return new SegmentLines(scan.found(), scan);
    }

    /** A record, counted from 0; null if there are not so many. */
    Footer.@Nullable Line line(int number) throws IOException {
        while (lines.size() <= number && scan != null && scan.more()) {
            // Each step adds a record.
        }
        return number < lines.size() ? lines.get(number) : null;
    }
}
