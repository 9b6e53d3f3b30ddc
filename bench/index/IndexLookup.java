package bench;

import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.BlockIndex;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A look into an index of 50 million entries, next to one read of eight bytes somewhere in as much direct memory. Each look waits
 * for the one before (its result is part of the next key), so that it is latencies that are compared; with {@code chained} off the
 * processor may have several under way. All in one JVM, since to fill the index takes longer than to measure. bench/index.sh runs it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(0)
public class IndexLookup {
    private static final int PIECE_SHIFT = 30;

    /** The index, and direct memory of the same size to be read at random. */
    @State(Scope.Benchmark)
    public static class Table {
        @Param("50000000")
        public int entries;

        static BlockIndex index;
        static ByteBuffer[] pieces;
        static long bytes;

        @Setup
        public void fill() {
            if (index != null) {
                return;
            }
            long heapBefore = heapUsed();
            index = new BlockIndex(4L << 30);
            for (long i = 0; i < entries; i++) {
                if (!index.put(key(i), IndexEntry.of((int) (1 + i % 1_000_000), (i % 4_000_000) * 64, 192, 1 << 20))) {
                    throw new IllegalStateException("no room for " + i);
                }
            }
            long heap = heapUsed() - heapBefore;
            bytes = index.memory();
            pieces = new ByteBuffer[(int) ((bytes >> PIECE_SHIFT) + 1)];
            for (int i = 0; i < pieces.length; i++) {
                pieces[i] = ByteBuffer.allocateDirect(1 << PIECE_SHIFT).order(ByteOrder.nativeOrder());
                for (int at = 0; at < pieces[i].capacity(); at += 4096) {
                    pieces[i].putLong(at, at | 1);
                }
            }
            System.out.printf(
                    "%n# INDEX %d entries: %.2f bytes an entry off the heap, %.4f on it (%d bytes in all)%n",
                    index.size(), (double) bytes / index.size(), (double) heap / index.size(), heap);
        }

        @SuppressWarnings("SystemGC") // What is used is known only behind a collection.
        private static long heapUsed() {
            System.gc();
            System.gc();
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }
    }

    /** What one thread asks for next. */
    @State(Scope.Thread)
    public static class Walk {
        @Param({"true", "false"})
        public boolean chained;

        private long seed = Thread.currentThread().getId() * 0x9E3779B97F4A7C15L;

        /** A number below {@code bound}, which follows from what was found last if looks are chained. */
        long next(long last, long bound) {
            seed += 0x9E3779B97F4A7C15L + (chained ? last & 1 : 0);
            return Math.multiplyHigh(mix(seed) >>> 1, 2 * bound);
        }
    }

    @Benchmark
    public long randomRead(Table table, Walk walk, Last found) {
        long at = walk.next(found.value, Table.bytes / 32) * 32;
        found.value = Table.pieces[(int) (at >> PIECE_SHIFT)].getLong((int) (at & ((1 << PIECE_SHIFT) - 1)));
        return found.value;
    }

    @Benchmark
    public long hit(Table table, Walk walk, Last found) {
        IndexEntry entry = Table.index.find(key(walk.next(found.value, table.entries)));
        if (entry == null) {
            throw new IllegalStateException("it is there");
        }
        found.value = entry.place();
        return found.value;
    }

    @Benchmark
    public long miss(Table table, Walk walk, Last found) {
        IndexEntry entry = Table.index.find(key(walk.next(found.value, table.entries) + table.entries));
        if (entry != null) {
            throw new IllegalStateException("it is not there");
        }
        return found.value;
    }

    /** What a thread found last. */
    @State(Scope.Thread)
    public static class Last {
        long value;
    }

    private static Fingerprint key(long number) {
        return new Fingerprint(mix(number * 0x9E3779B97F4A7C15L), mix(~number * 0xD1B54A32D192ED03L));
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
