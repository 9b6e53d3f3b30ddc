package io.millrace.gateway.objects.freshness;

import java.time.Duration;

/**
 * For how long something is taken for known: the time its bucket's rules give, less up to a tenth of it by its name. So what came
 * together is not asked for together, nothing is believed for longer than the rules say, and it is the same time at every start.
 */
public final class FreshnessLifetime {
    /** What is taken off at most. */
    private static final int SHARE = 10;

    private static final int STEPS = 1024;

    private FreshnessLifetime() {}

    /**
     * In milliseconds.
     *
     * @param name hash of what is known
     */
    public static long millis(Duration time, int name) {
        long whole = time.toMillis();
        return whole - whole / SHARE * step(name) / STEPS;
    }

    /** Names that differ in their last character are to lie far apart. */
    private static int step(int name) {
        int mixed = (name ^ (name >>> 16)) * 0x85ebca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return (mixed ^ (mixed >>> 16)) & (STEPS - 1);
    }
}
