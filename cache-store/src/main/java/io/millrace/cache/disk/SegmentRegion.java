package io.millrace.cache.disk;

import io.netty.channel.DefaultFileRegion;

/** Bytes of a segment that the kernel sends itself. Holds a reference to the segment; the file stays open when it is released. */
final class SegmentRegion extends DefaultFileRegion {
    private final Segment segment;

    /** Takes over a reference to {@code segment}. */
    SegmentRegion(Segment segment, long position, long bytes) {
        super(segment.file(), position, bytes);
        this.segment = segment;
    }

    @Override
    protected void deallocate() {
        segment.release();
    }
}
