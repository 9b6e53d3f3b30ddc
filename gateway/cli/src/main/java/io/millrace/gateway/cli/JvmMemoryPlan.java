package io.millrace.gateway.cli;

import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.DataSize;
import io.millrace.config.machine.MachineMemory;
import io.millrace.config.problem.ProblemReporter;
import java.util.OptionalLong;

/**
 * Plan of the server's heap and direct memory. The settings determine the cache's part. The rest is the usual amount if
 * the machine has enough memory, and otherwise less, down to a working minimum.
 *
 * @param heap limit of the heap in bytes
 * @param direct limit of direct memory in bytes
 */
public record JvmMemoryPlan(long heap, long direct) {
    private static final long MIB = 1 << 20;

    /** Memory of the JVM besides heap and direct memory: classes, compiled code, stacks, garbage collector. */
    private static final long JVM = 192 * MIB;

    private static final long LEAST_HEAP = 256 * MIB;
    private static final long USUAL_HEAP = 512 * MIB;

    /** Heap for each disk beyond the second, because the disks' segment footers are read in parallel. */
    private static final long HEAP_PER_DISK = 64 * MIB;

    private static final int USUAL_DISKS = 2;

    /** Buffers of connections and disks. */
    private static final long LEAST_BUFFERS = 128 * MIB;

    private static final long USUAL_BUFFERS = 512 * MIB;

    private static final String SMALLER = "make cache.fill-memory or cache.index-memory smaller, or ";

    /**
     * Divides the machine's memory.
     *
     * @param given limits that are already set
     */
    public static JvmMemoryPlan of(CacheSettings cache, MachineMemory machine, PresetJvmMemoryLimits given) {
        long disks = heapOfDisks(cache);
        long spare = Math.max(0, machine.bytes() - least(cache, given));
        long heap = given.heap().orElse(disks + Math.min(USUAL_HEAP, LEAST_HEAP + spare / 2));
        long beside = Math.max(0, machine.bytes() - beside(cache) - heap - cache.directMemory());
        long buffers = Math.max(LEAST_BUFFERS, Math.min(USUAL_BUFFERS, beside));
        return new JvmMemoryPlan(heap, given.direct().orElse(cache.directMemory() + buffers));
    }

    /** Returns the memory that is neither heap nor direct memory. */
    private static long beside(CacheSettings cache) {
        return JVM + cache.nativeMemory();
    }

    /** Adds a problem if the settings need more memory than the machine or the limits allow. */
    public static void check(
            CacheSettings cache, MachineMemory machine, PresetJvmMemoryLimits given, ProblemReporter problems) {
        long need = cache.directMemory() + LEAST_BUFFERS;
        OptionalLong direct = given.direct();
        if (direct.isPresent()) {
            if (direct.getAsLong() < need) {
                add(
                        cache,
                        problems,
                        "and %s allows %s (-XX:MaxDirectMemorySize)".formatted(given.owner(), size(direct.getAsLong())),
                        SMALLER
                                + "allow more, or leave the option out of %s and start by the script millrace, which chooses it"
                                        .formatted(PresetJvmMemoryLimits.VARIABLE));
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
                    remedy(cache, machine, given));
        }
    }

    /** Returns what to do on a machine that has too little: smaller settings do not help if it lacks even what all settings need. */
    private static String remedy(CacheSettings cache, MachineMemory machine, PresetJvmMemoryLimits given) {
        long always = least(cache, given) - cache.directMemory();
        return always < machine.bytes()
                ? SMALLER + "give it more memory"
                : "give it more memory: %s are needed beside the memory of the cache, however small that is"
                        .formatted(size(always));
    }

    /** Returns the plan as options of {@code java}. */
    public String options() {
        return "-Xmx%dm -XX:MaxDirectMemorySize=%dm".formatted(heap / MIB, direct / MIB);
    }

    /** Returns the plan as shown to the operator. */
    @Override
    public String toString() {
        return "%s of heap, %s of direct memory".formatted(size(heap), size(direct));
    }

    private static void add(CacheSettings cache, ProblemReporter problems, String rest, String remedy) {
        boolean index = cache.indexMemory().compareTo(cache.fillMemory()) > 0;
        problems.add(
                index ? "cache.index-memory" : "cache.fill-memory",
                index ? cache.indexMemory() : cache.fillMemory(),
                "is too much: cache.fill-memory %s, cache.index-memory %s and a quarter of that, cache.memory-tier %s, and %s for connections need %s of direct memory, %s"
                        .formatted(
                                cache.fillMemory(),
                                cache.indexMemory(),
                                cache.memoryTier(),
                                size(LEAST_BUFFERS),
                                size(cache.directMemory() + LEAST_BUFFERS),
                                rest),
                remedy);
    }

    private static long least(CacheSettings cache, PresetJvmMemoryLimits given) {
        return beside(cache)
                + given.heap().orElse(LEAST_HEAP + heapOfDisks(cache))
                + cache.directMemory()
                + LEAST_BUFFERS;
    }

    private static long heapOfDisks(CacheSettings cache) {
        return HEAP_PER_DISK * Math.max(0, cache.disks().size() - USUAL_DISKS);
    }

    /** Formats bytes as whole MiB, rounded up. */
    private static String size(long bytes) {
        return DataSize.ofMebibytes((bytes + MIB - 1) / MIB).toString();
    }
}
