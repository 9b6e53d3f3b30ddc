package io.millrace.gateway.jobs.store;

import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.object.ByteRange;

/**
 * The division of an object into parts for a multipart upload, all but the last of one size. Numbers begin with 1.
 *
 * <p>A kill loses the parts under way, so a part is a small share of its object; larger parts save requests.
 *
 * @param size bytes of the object; 0 if unknown, and then {@link #count} and {@link #range} have no meaning
 * @param partBytes of each part but the last
 */
public record PartPlan(long size, long partBytes) {
    /** The most bytes of one request in S3: a write, a copy, or a part. */
    public static final long MOST_AT_ONCE = 5L << 30;

    /** Larger streams are stored in parts where possible, so that a broken connection costs one part only. */
    public static final long IN_PARTS = 128L << 20;

    /** Parts of one object that are sent concurrently. */
    public static final int AT_ONCE = 4;

    private static final int USUAL_COUNT = 64;

    private static final long UNIT = 1L << 20;
    private static final long LEAST = 8 * UNIT;
    private static final long USUAL_MOST = 64 * UNIT;

    public static PartPlan of(long size) {
        long share = ceiling(ceiling(size, USUAL_COUNT), UNIT) * UNIT;
        long usual = Math.max(LEAST, Math.min(USUAL_MOST, share));
        return new PartPlan(size, Math.max(usual, ceiling(size, MultipartUploads.MAX_PARTS)));
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
