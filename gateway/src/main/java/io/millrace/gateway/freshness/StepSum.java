package io.millrace.gateway.freshness;

import io.millrace.cache.CacheScan;
import io.millrace.cache.disk.ScanPosition;
import io.millrace.gateway.freshness.Residents.Residency;

/** Sums up what a step of a scan finds, and tells when it is enough: behind any object the next can begin. For one thread at a time. */
final class StepSum {
    private final long until;
    private ScanPosition position;
    private boolean enough;
    private Residency sum = Residency.NONE;

    /** @param until by {@link System#nanoTime} */
    StepSum(ScanPosition from, long until) {
        this.position = from;
        this.until = until;
    }

    void add(CacheScan.Found one, Residency found) {
        sum = sum.plus(found);
        position = one.position();
        enough = System.nanoTime() - until >= 0;
    }

    /** Whether time was over at the last object, so that the next step begins behind it. */
    boolean isEnough() {
        return enough;
    }

    ScanPosition position() {
        return position;
    }

    Residency sum() {
        return sum;
    }
}
