package io.millrace.gateway.jobs.store;

import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.object.ByteRange;

/**
 * How an object is cut into parts: all but the last of one size, as few as that allows. Numbers begin with 1.
 *
 * @param size bytes of the object; 0 where nobody knows, and then there is no counting
 * @param partBytes of each part but the last
 */
public record PartPlan(long size, long partBytes) {
    /** S3 takes no more in one request: a write, a copy, or a part. */
    public static final long MOST_AT_ONCE = 5L << 30;

    /** From there on a stream goes in parts, if it can be had so: what breaks off costs one of them. */
    public static final long IN_PARTS = 128L << 20;

    /** Parts that are under way together. */
    public static final int AT_ONCE = 4;

    private static final long LEAST = 64L << 20;

    public static PartPlan of(long size) {
        return new PartPlan(size, Math.max(LEAST, ceiling(size, MultipartUploads.MAX_PARTS)));
    }

    public int count() {
        return Math.toIntExact(ceiling(size, partBytes));
    }

    public ByteRange range(int number) {
        long first = (number - 1) * partBytes;
        return new ByteRange(first, Math.min(size, first + partBytes) - 1);
    }

    private static long ceiling(long bytes, long divisor) {
        return (bytes + divisor - 1) / divisor;
    }
}
