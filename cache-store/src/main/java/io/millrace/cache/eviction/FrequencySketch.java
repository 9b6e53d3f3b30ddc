package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Estimates how often keys were read lately, cached or not: a count-min sketch with 4-bit counters, four for each key,
 * all in one cache line. An estimate is too high when keys collide in all four counters; it is hardly ever too low.
 *
 * <p>Only the lowest of the four counters are incremented (conservative update), so that a scan of many keys hardly
 * raises the others. After a full sample all counters are halved, a few words with each use, so that no use has to wait
 * for all of them. A counter that is still to be halved is read as if it were.
 *
 * <p>The table is off the heap. Concurrent counts in one word may be lost, and nothing takes a lock: it is an estimate.
 * Safe for use by any number of threads.
 */
final class FrequencySketch {
    /** The highest count. */
    static final int MOST = 15;

    /** Bytes of the smallest table. */
    static final int SMALLEST = 64;

    /** A cache line: 8 words of 16 counters. Each of a key's four counters is in one of two words of its own row. */
    private static final int LINE = 64;

    private static final int ROWS = 4;

    /** The lowest bit of each counter. */
    private static final long LOWEST_BITS = 0x1111_1111_1111_1111L;

    /** Lines that are halved with a use. */
    private static final int HALVED_AT_ONCE = 4;

    /** Lines that are halved with each part by which a sample is shortened: 64 KiB. */
    private static final int HALVED_WHEN_SHORTENED = 1024;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer table;
    private final int lines;
    private volatile long sample;
    private volatile int halved;
    private final AtomicBoolean halving = new AtomicBoolean();

    /** Counts of concurrent threads may be lost, as in the table. */
    private long counted;

    /** The {@link #counted} reads at the end of the last sample, or earlier by what it was shortened. */
    private long begun;

    /**
     * @param bytes of memory, a power of two, at least {@value #SMALLEST}
     * @param sample as in {@link #sample}
     */
    FrequencySketch(int bytes, long sample) {
        if (bytes < LINE || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("no power of two from %d on: %d".formatted(SMALLEST, bytes));
        }
        this.table = ByteBuffer.allocateDirect(bytes + LINE).alignedSlice(LINE).order(ByteOrder.nativeOrder());
        this.lines = bytes / LINE;
        this.halved = lines;
        sample(sample);
    }

    /** Returns the bytes of its table. */
    int bytes() {
        return lines * LINE;
    }

    /**
     * Sets the number of uses after which all counters are halved; a table takes at least one for each line, so that
     * uses seldom have to halve.
     */
    void sample(long uses) {
        sample = Math.max(uses, lines);
    }

    /** Returns the number of uses that were counted, about. */
    long uses() {
        return counted;
    }

    /**
     * Shortens the current sample by a part of it, and works on the halving, some microseconds at most.
     *
     * @param parts how many of such parts are a sample
     */
    void shorten(long parts) {
        begun -= sample / parts;
        halve(HALVED_WHEN_SHORTENED);
    }

    /** Returns the estimated uses of a key, 0 to {@link #MOST}. */
    int frequency(Fingerprint key) {
        int line = line(key);
        int least = least(line, key);
        return line < halved ? least : least >>> 1;
    }

    /** Counts a use. */
    void count(Fingerprint key) {
        int line = line(key);
        int least = least(line, key);
        if (least < MOST) {
            for (int row = 0; row < ROWS; row++) {
                raise(line, row, key.high(), least);
            }
        }
        counted++;
        halve(HALVED_AT_ONCE);
    }

    private int least(int line, Fingerprint key) {
        int least = MOST;
        for (int row = 0; row < ROWS; row++) {
            long word = (long) WORD.getOpaque(table, at(line, row, key.high()));
            least = Math.min(least, (int) (word >>> shift(row, key.high())) & MOST);
        }
        return least;
    }

    private void raise(int line, int row, long bits, int least) {
        int at = at(line, row, bits);
        int shift = shift(row, bits);
        long word = (long) WORD.getOpaque(table, at);
        if (((word >>> shift) & MOST) == least) {
            WORD.setOpaque(table, at, word + (1L << shift));
        }
    }

    /** Halves at most so many lines, if a sample has ended, unless another thread is doing that. */
    private void halve(int most) {
        if (halved == lines) {
            if (counted - begun >= sample && !halving.get()) {
                begun = counted;
                halved = 0;
            }
            return;
        }
        if (!halving.compareAndSet(false, true)) {
            return;
        }
        int from = halved;
        int to = Math.min(lines, from + most);
        for (int at = from * LINE; at < to * LINE; at += Long.BYTES) {
            long word = (long) WORD.getOpaque(table, at);
            WORD.setOpaque(table, at, (word >>> 1) & (LOWEST_BITS * (MOST >>> 1)));
        }
        halved = to;
        halving.set(false);
    }

    private int line(Fingerprint key) {
        return (int) key.low() & (lines - 1);
    }

    /** One bit selects one of a row's two words; four bits select the counter in it. */
    private static int at(int line, int row, long bits) {
        int word = 2 * row + (int) ((bits >>> (8 * row)) & 1);
        return line * LINE + word * Long.BYTES;
    }

    private static int shift(int row, long bits) {
        return (int) ((bits >>> (8 * row + 1)) & 15) << 2;
    }
}
