package io.millrace.gateway.objects.residency;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.residency.CacheResidency.Residency;
import org.jspecify.annotations.Nullable;

/** Sums up what a step of a scan finds, and tells when it is enough: after any object the next can begin. For one thread at a time. */
final class ScanStepTotals {
    private final long until;
    private @Nullable ObjectId last;
    private boolean enough;
    private Residency sum = Residency.NONE;

    /** @param until by {@link System#nanoTime} */
    ScanStepTotals(long until) {
        this.until = until;
    }

    void add(ObjectMetadata one, Residency found) {
        sum = sum.plus(found);
        last = one.id();
        enough = System.nanoTime() - until >= 0;
    }

    /** Whether time was over at the last object, so that the next step begins after it. */
    boolean isEnough() {
        return enough;
    }

    /** The last object; null before the first. */
    @Nullable ObjectId last() {
        return last;
    }

    Residency sum() {
        return sum;
    }
}
