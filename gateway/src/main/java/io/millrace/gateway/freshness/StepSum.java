package io.millrace.gateway.freshness;

import io.millrace.cache.CacheScan;
import io.millrace.cache.disk.ScanPosition;
import io.millrace.gateway.freshness.Residents.Residency;

/** Sums up what a step of a scan finds, and ends it at a place where the next can begin. For one thread at a time. */
final class StepSum {
    private final long until;
    private ScanPosition position;
    private boolean between;
    private Residency sum = Residency.NONE;

    /** @param until by {@link System#nanoTime} */
    StepSum(ScanPosition from, long until) {
        this.position = from;
        this.until = until;
    }

    void add(CacheScan.Found one, Residency found) {
        sum = sum.plus(found);
        between = one.whole();
        position = one.position();
    }

    /** Whether time is over, and the next step can begin at {@link #position}. */
    boolean isEnough() {
        return between && System.nanoTime() - until >= 0;
    }

    ScanPosition position() {
        return position;
    }

    Residency sum() {
        return sum;
    }
}
