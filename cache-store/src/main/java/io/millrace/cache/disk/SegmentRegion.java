package io.millrace.cache.disk;

import io.netty.channel.DefaultFileRegion;

/** Bytes of a segment that the kernel sends itself. Holds a reference to the segment; the file stays open when it is released. */
final class SegmentRegion extends DefaultFileRegion {
    private final Segment segment;
    private final Residency residency;
    private long lastAttempt;

    /** Takes over a reference to {@code segment}. */
    SegmentRegion(Segment segment, Residency residency, long position, long bytes) {
        super(segment.file(), position, bytes);
        this.segment = segment;
        this.residency = residency;
    }

    /** Is asked for before each try to send; there is no other sign of its beginning. */
    @Override
    public long count() {
        lastAttempt = System.nanoTime();
        return super.count();
    }

    /** Comes at once behind the last try, unless it was given up before its end. */
    @Override
    protected void deallocate() {
        if (transferred() == super.count()) {
            residency.took(System.nanoTime() - lastAttempt);
        }
        segment.release();
    }
}
