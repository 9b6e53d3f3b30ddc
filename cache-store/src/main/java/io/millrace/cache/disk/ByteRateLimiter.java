package io.millrace.cache.disk;

import java.util.concurrent.TimeUnit;

/** Limits bytes per second; an unused rate is not saved up. For one thread at a time. */
final class ByteRateLimiter {
    private final double nanosPerByte;
    private long next = System.nanoTime();

    ByteRateLimiter(long bytesPerSecond) {
        this.nanosPerByte = (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    }

    /** Counts bytes that were read; returns the nanoseconds to wait before reading more. */
    long read(long bytes) {
        long now = System.nanoTime();
        next = Math.max(next, now - TimeUnit.MILLISECONDS.toNanos(100)) + (long) (bytes * nanosPerByte);
        return Math.max(0, next - now);
    }
}
