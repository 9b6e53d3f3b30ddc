package io.millrace.gateway.objects.read;

import java.time.Duration;

/**
 * Computes how long cached content is fresh: the configured time less up to a tenth, so that not all becomes stale at
 * once. So entries fetched together do not expire together, none outlives its configured time, and each has the same
 * lifetime after a restart.
 */
final class FreshnessLifetime {
    /** The divisor of the largest reduction. */
    private static final int SHARE = 10;

    private static final int STEPS = 1024;

    private FreshnessLifetime() {}

    /**
     * Returns the lifetime in milliseconds.
     *
     * @param name hash of the entry's key
     */
    static long millis(Duration time, int name) {
        long whole = time.toMillis();
        return whole - whole / SHARE * step(name) / STEPS;
    }

    /** Mixes the hash, so that keys that differ only in the last character get different lifetimes. */
    private static int step(int name) {
        int mixed = (name ^ (name >>> 16)) * 0x85ebca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return (mixed ^ (mixed >>> 16)) & (STEPS - 1);
    }
}
