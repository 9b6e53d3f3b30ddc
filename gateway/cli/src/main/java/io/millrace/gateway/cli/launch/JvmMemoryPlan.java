package io.millrace.gateway.cli.launch;

import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.DataSize;
import io.millrace.config.problem.ProblemReporter;
import java.util.OptionalLong;

/**
 * Heap and direct memory of the server's JVM. The cache's part follows from the settings; the rest is as much as is good where
 * the machine has it, and less, down to the least that works, where it has not.
 *
 * @param heap bytes
 * @param direct bytes
 */
public record JvmMemoryPlan(long heap, long direct) {
    private static final long MIB = 1 << 20;

    /** What the JVM takes beside both: classes, compiled code, stacks, the collector. */
    private static final long JVM = 192 * MIB;

    private static final long LEAST_HEAP = 256 * MIB;
    private static final long USUAL_HEAP = 512 * MIB;

    /** Each disk beyond the second: the index of its segments is read beside the others'. */
    private static final long HEAP_PER_DISK = 64 * MIB;

    private static final int USUAL_DISKS = 2;

    /** Buffers of connections and disks. */
    private static final long LEAST_BUFFERS = 128 * MIB;

    private static final long USUAL_BUFFERS = 512 * MIB;

    /**
     * Divides the memory there is.
     *
     * @param given limits that are set already
     */
    public static JvmMemoryPlan of(CacheSettings cache, MachineMemory machine, JvmMemoryLimits given) {
        long disks = heapOfDisks(cache);
        long spare = Math.max(0, machine.bytes() - least(cache, given));
        long heap = given.heap().orElse(disks + Math.min(USUAL_HEAP, LEAST_HEAP + spare / 2));
        long beside = Math.max(0, machine.bytes() - beside(cache) - heap - cache.directMemory());
        long buffers = Math.max(LEAST_BUFFERS, Math.min(USUAL_BUFFERS, beside));
        return new JvmMemoryPlan(heap, given.direct().orElse(cache.directMemory() + buffers));
    }

    /** What is neither heap nor direct memory. */
    private static long beside(CacheSettings cache) {
        return JVM + cache.nativeMemory();
    }

    /** Adds a problem if the settings need more memory than there is. */
    public static void check(
            CacheSettings cache, MachineMemory machine, JvmMemoryLimits given, ProblemReporter problems) {
        long need = cache.directMemory() + LEAST_BUFFERS;
        OptionalLong direct = given.direct();
        if (direct.isPresent()) {
            if (direct.getAsLong() < need) {
                add(
                        cache,
                        problems,
                        "and %s allows %s (-XX:MaxDirectMemorySize)".formatted(given.owner(), size(direct.getAsLong())),
                        "allow more, or leave the option out of %s and start by the script millrace, which chooses it"
                                .formatted(JvmMemoryLimits.VARIABLE));
            }
            return;
        }
        if (least(cache, given) > machine.bytes()) {
            long heap = least(cache, given) - beside(cache) - need;
            add(
                    cache,
                    problems,
                    "%s of heap and %s for the JVM itself and the metadata store, and %s has %s"
                            .formatted(size(heap), size(beside(cache)), machine.owner(), size(machine.bytes())),
                    "give it more memory");
        }
    }

    /** As options of {@code java}. */
    public String options() {
        return "-Xmx%dm -XX:MaxDirectMemorySize=%dm".formatted(heap / MIB, direct / MIB);
    }

    /** In words for the operator. */
    @Override
    public String toString() {
        return "%s of heap, %s of direct memory".formatted(size(heap), size(direct));
    }

    private static void add(CacheSettings cache, ProblemReporter problems, String rest, String remedy) {
        boolean index = cache.indexMemory().compareTo(cache.memory()) > 0;
        problems.add(
                index ? "cache.index-memory" : "cache.memory",
                index ? cache.indexMemory() : cache.memory(),
                "is too much: cache.memory %s, cache.index-memory %s and a quarter of that, and %s for connections need %s of direct memory, %s"
                        .formatted(
                                cache.memory(),
                                cache.indexMemory(),
                                size(LEAST_BUFFERS),
                                size(cache.directMemory() + LEAST_BUFFERS),
                                rest),
                "make cache.memory or cache.index-memory smaller, or " + remedy);
    }

    private static long least(CacheSettings cache, JvmMemoryLimits given) {
        return beside(cache)
                + given.heap().orElse(LEAST_HEAP + heapOfDisks(cache))
                + cache.directMemory()
                + LEAST_BUFFERS;
    }

    private static long heapOfDisks(CacheSettings cache) {
        return HEAP_PER_DISK * Math.max(0, cache.disks().size() - USUAL_DISKS);
    }

    /** In whole MiB, which is as much as anybody wants to read. */
    private static String size(long bytes) {
        return DataSize.ofMebibytes((bytes + MIB - 1) / MIB).toString();
    }
}
