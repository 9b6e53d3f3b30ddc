package io.millrace.cache.scrub;

import java.util.concurrent.TimeUnit;

/** A rate of bytes that is not made up for when it was not used. For one thread at a time. */
final class ByteRateLimiter {
    private final double nanosPerByte;
    private long next = System.nanoTime();

    ByteRateLimiter(long bytesPerSecond) {
        this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    }

    /** So many were read; for how long to wait before more is, in nanoseconds. */
    long read(long bytes) {
        long now = System.nanoTime();
        next = Math.max(next, now - TimeUnit.MILLISECONDS.toNanos(100)) + (long) (bytes * nanosPerByte);
        return Math.max(0, next - now);
    }
}
