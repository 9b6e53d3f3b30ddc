package io.millrace.cache.disk;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was read last of the lists of segments, so that whoever goes over one in pieces does not read it anew for each. As many as
 * scans are under way, up to 32 MB each, which are let go when memory is short. Safe for use by any number of threads.
 */
final class RecentLines {
    private static final int MOST = 4;

    /** By the number of the segment, which is never used twice; the one that was used last comes last. */
    private final Map<Integer, SoftReference<SegmentLines>> recent = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, SoftReference<SegmentLines>> eldest) {
            return size() > MOST;
        }
    };

    /**
     * The records of a segment, which the caller holds. Others may have the same: whoever uses them locks them.
     *
     * @throws IOException if its list cannot be read
     */
    SegmentLines of(Segment segment) throws IOException {
        SegmentLines known = find(segment.number());
        if (known != null) {
            return known;
        }
        SegmentLines read = SegmentLines.of(segment.file());
        synchronized (recent) {
            recent.put(segment.number(), new SoftReference<>(read));
        }
        return read;
    }

    private @Nullable SegmentLines find(int segment) {
        synchronized (recent) {
            SoftReference<SegmentLines> known = recent.get(segment);
            return known == null ? null : known.get();
        }
    }
}
