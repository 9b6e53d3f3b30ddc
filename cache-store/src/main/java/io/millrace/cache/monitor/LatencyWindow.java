package io.millrace.cache.monitor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * How long reads have taken in the last five minutes, by their size. Safe for use by any number of threads; at the turn of a
 * minute a few reads may be lost.
 */
public final class LatencyWindow {
    private static final int MINUTES = 6;

    /** Up to 64 KiB, 256 KiB, 1 MiB, and more. */
    private static final int SIZES = 4;

    private static final int FIRST_SIZE = 16;

    /** So few reads of a size tell nothing. */
    private static final long MIN_READS = 20;

    /** A disk whose reads take so many times as long is slower beyond doubt. */
    private static final double SLOWER_FACTOR = 1.5;

    private final LongSupplier nanoTime;
    private final AtomicLongArray minutes = new AtomicLongArray(MINUTES);
    private final AtomicLongArray counts = new AtomicLongArray(MINUTES * SIZES);
    private final AtomicLongArray nanos = new AtomicLongArray(MINUTES * SIZES);

    public LatencyWindow() {
        this(System::nanoTime);
    }

    LatencyWindow(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A read of so many bytes took so long. */
    public void record(long bytes, long took) {
        int at = slot(minute()) * SIZES + size(bytes);
        counts.incrementAndGet(at);
        nanos.addAndGet(at, took);
    }

    /**
     * How many times as long as {@code other}'s these reads took, of the sizes that both had; 0 if that cannot be told.
     */
    public double ratioTo(LatencyWindow other) {
        double here = 0;
        double there = 0;
        for (int size = 0; size < SIZES; size++) {
            long count = sum(counts, size);
            long others = other.sum(other.counts, size);
            if (count >= MIN_READS && others >= MIN_READS) {
                here += sum(nanos, size);
                there += (double) count * other.sum(other.nanos, size) / others;
            }
        }
        return there == 0 ? 0 : here / there;
    }

    /** Whether so many times as long is clearly longer. */
    public static boolean isSlower(double times) {
        return times > SLOWER_FACTOR;
    }

    private long sum(AtomicLongArray of, int size) {
        long now = minute();
        long sum = 0;
        for (int slot = 0; slot < MINUTES; slot++) {
            if (now - minutes.get(slot) < MINUTES) {
                sum += of.get(slot * SIZES + size);
            }
        }
        return sum;
    }

    /** The place of a minute, emptied if it is another's still. */
    private int slot(long minute) {
        int slot = (int) (minute % MINUTES);
        long there = minutes.get(slot);
        if (there != minute && minutes.compareAndSet(slot, there, minute)) {
            for (int size = 0; size < SIZES; size++) {
                counts.set(slot * SIZES + size, 0);
                nanos.set(slot * SIZES + size, 0);
            }
        }
        return slot;
    }

    /** From a number on that leaves no slot looking like one of the last minutes. */
    private long minute() {
        return MINUTES + Math.floorMod(TimeUnit.NANOSECONDS.toMinutes(nanoTime.getAsLong()), Long.MAX_VALUE / 2);
    }

    private static int size(long bytes) {
        int bits = 64 - Long.numberOfLeadingZeros(Math.max(1, bytes - 1));
        return Math.max(0, Math.min(SIZES - 1, (bits - FIRST_SIZE + 1) / 2));
    }
}
