package io.millrace.cache.monitor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Tracks the latency of reads in the last five minutes, by size class. Thread-safe; at the turn of a minute a few reads
 * may be lost.
 */
public final class LatencyWindow {
    private static final int MINUTES = 6;

    /** The size classes: up to 64 KiB, 256 KiB, 1 MiB, and more. */
    private static final int SIZES = 4;

    private static final int FIRST_SIZE = 16;

    /** Fewer reads of a size class are ignored as too small a sample. */
    private static final long MIN_READS = 20;

    /** A disk is slower than a backend if its reads take more than this many times as long. */
    private static final double SLOWER_FACTOR = 1.5;

    private final LongSupplier nanoTime;
    private final AtomicLongArray minutes = new AtomicLongArray(MINUTES);
    private final AtomicLongArray counts = new AtomicLongArray(MINUTES * SIZES);
    private final AtomicLongArray nanos = new AtomicLongArray(MINUTES * SIZES);
    private final LongAdder allReads = new LongAdder();
    private final LongAdder allBytes = new LongAdder();
    private final LongAdder allNanos = new LongAdder();

    /**
     * Totals of reads or writes since the start.
     *
     * @param count their number
     */
    public record Totals(long count, long bytes, long nanos) {}

    public LatencyWindow() {
        this(System::nanoTime);
    }

    LatencyWindow(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Records the latency of a read.
     *
     * @param took nanoseconds
     */
    public void record(long bytes, long took) {
        int at = slot(minute()) * SIZES + size(bytes);
        counts.incrementAndGet(at);
        nanos.addAndGet(at, took);
        allReads.increment();
        allBytes.add(bytes);
        allNanos.add(took);
    }

    /**
     * Returns the latency of these reads as a multiple of the latency of {@code other}'s, over the size classes that
     * both have; 0 if there is too little data.
     */
    public double ratioTo(LatencyWindow other) {
        double here = 0;
        double backend = 0;
        for (int size = 0; size < SIZES; size++) {
            long count = sum(counts, size);
            long others = other.sum(other.counts, size);
            if (count >= MIN_READS && others >= MIN_READS) {
                here += sum(nanos, size);
                backend += (double) count * other.sum(other.nanos, size) / others;
            }
        }
        return backend == 0 ? 0 : here / backend;
    }

    /** Returns the totals since the start. */
    public Totals totals() {
        return new Totals(allReads.sum(), allBytes.sum(), allNanos.sum());
    }

    /** Returns whether a {@linkplain #ratioTo ratio} means clearly slower. */
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

    /** Returns the slot of a minute, cleared if it still holds an older one. */
    private int slot(long minute) {
        int slot = (int) (minute % MINUTES);
        long backend = minutes.get(slot);
        if (backend != minute && minutes.compareAndSet(slot, backend, minute)) {
            for (int size = 0; size < SIZES; size++) {
                counts.set(slot * SIZES + size, 0);
                nanos.set(slot * SIZES + size, 0);
            }
        }
        return slot;
    }

    /** Returns the current minute, offset so that no empty slot looks like one of the last minutes. */
    private long minute() {
        return MINUTES + Math.floorMod(TimeUnit.NANOSECONDS.toMinutes(nanoTime.getAsLong()), Long.MAX_VALUE / 2);
    }

    private static int size(long bytes) {
        int bits = 64 - Long.numberOfLeadingZeros(Math.max(1, bytes - 1));
        return Math.max(0, Math.min(SIZES - 1, (bits - FIRST_SIZE + 1) / 2));
    }
}
