package io.millrace.gateway.objects.residency;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.residency.CacheResidency.ResidencyTotals;
import org.jspecify.annotations.Nullable;

/** Sums up the objects of one scan step and ends the step after a given time. Not thread-safe. */
final class ScanStepTotals {
    private final long until;
    private @Nullable ObjectId last;
    private boolean enough;
    private ResidencyTotals sum = ResidencyTotals.NONE;

    /** @param until the end of the step, by {@link System#nanoTime} */
    ScanStepTotals(long until) {
        this.until = until;
    }

    void add(ObjectMetadata one, ResidencyTotals found) {
        sum = sum.plus(found);
        last = one.id();
        enough = System.nanoTime() - until >= 0;
    }

    /** Returns whether the step's time was over at the last object, so that the next step begins after it. */
    boolean isEnough() {
        return enough;
    }

    /** Returns the last object; null before the first. */
    @Nullable ObjectId last() {
        return last;
    }

    ResidencyTotals sum() {
        return sum;
    }
}
