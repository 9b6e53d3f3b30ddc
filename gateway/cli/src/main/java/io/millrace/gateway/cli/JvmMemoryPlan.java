package io.millrace.gateway.cli;

import io.millrace.cache.settings.CacheSettings;
import io.millrace.config.DataSize;
import io.millrace.config.MachineMemory;
import io.millrace.config.problem.ProblemReporter;
import java.util.Comparator;
import java.util.stream.Stream;

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

    /** With less, a start ends in an OutOfMemoryError, or the first requests do. */
    private static final long SMALLEST_HEAP = 96 * MIB;

    private static final int USUAL_DISKS = 2;

    /** Buffers of connections and disks. */
    private static final long LEAST_BUFFERS = 128 * MIB;

    private static final long USUAL_BUFFERS = 512 * MIB;

    private static final String METADATA = "cache.metadata.memory";

    /**
     * The direct memory that the default settings need. An option that allows less is what is wrong, whatever the
     * settings are.
     */
    private static final long NEED_OF_DEFAULTS = 512 * MIB;

    /** A key of the settings and the memory that it demands. */
    private record MemoryDemand(String key, DataSize size) {}

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

    /**
     * Adds a problem if the settings need more memory than the machine or the limits allow, or the limits are no
     * server's.
     */
    public static void check(
            CacheSettings cache, MachineMemory machine, PresetJvmMemoryLimits given, ProblemReporter problems) {
        if (!given.unreadable().isEmpty()) {
            problems.addOfSource(
                    given.source(),
                    "%s has no size that the JVM reads".formatted(String.join(" ", given.unreadable())),
                    ("write a whole number and k, m, g or t with nothing between, such as -Xmx%dm, or leave the option"
                                    + " out: the script millrace chooses it")
                            .formatted(USUAL_HEAP / MIB));
            return;
        }
        if (given.heap().isPresent() && given.heap().getAsLong() < SMALLEST_HEAP) {
            problems.addOfSource(
                    given.source(),
                    "a heap of %s (-Xmx) is too small: a server does not start with less than %s, and should have %s"
                            .formatted(size(given.heap().getAsLong()), size(SMALLEST_HEAP), size(LEAST_HEAP)),
                    "write -Xmx%dm or more, or leave the option out: the script millrace chooses it"
                            .formatted(LEAST_HEAP / MIB));
            return;
        }
        long direct = given.direct().orElse(Long.MAX_VALUE);
        if (direct < cache.directMemory() + LEAST_BUFFERS) {
            addTooLittleDirect(cache, direct, given, problems);
        } else if (least(cache, given) > machine.bytes()) {
            addTooMuch(cache, machine, given, problems);
        } else if (given.direct().isPresent() && direct > machine.bytes()) {
            problems.addOfSource(
                    given.source(),
                    "%s of direct memory (-XX:MaxDirectMemorySize) are too much: %s has %s"
                            .formatted(size(direct), machine.owner(), size(machine.bytes())),
                    "write less, or leave the option out: the script millrace chooses it");
        }
    }

    private static void addTooLittleDirect(
            CacheSettings cache, long direct, PresetJvmMemoryLimits given, ProblemReporter problems) {
        long need = cache.directMemory() + LEAST_BUFFERS;
        MemoryDemand largest = largest(cache, 0);
        if (direct < NEED_OF_DEFAULTS) {
            problems.addOfSource(
                    given.source(),
                    "%s of direct memory (-XX:MaxDirectMemorySize) are too little: %s"
                            .formatted(size(direct), needs(cache)),
                    ("write -XX:MaxDirectMemorySize=%dm or more, or leave the option out: the script millrace chooses"
                                    + " it%s")
                            .formatted(
                                    (need + MIB - 1) / MIB,
                                    cache.directMemory() == 0 ? "" : "; or make %s smaller".formatted(largest.key())));
            return;
        }
        problems.add(
                largest.key(),
                largest.size(),
                "is too much: %s, and %s allows %s (-XX:MaxDirectMemorySize)"
                        .formatted(needs(cache), given.owner(), size(direct)),
                ("make %s smaller, or allow more, or leave the option out of %s and start by the script millrace, which"
                                + " chooses it")
                        .formatted(largest.key(), PresetJvmMemoryLimits.VARIABLE));
    }

    /** Adds that all is more than the machine has, at the largest part of it. */
    private static void addTooMuch(
            CacheSettings cache, MachineMemory machine, PresetJvmMemoryLimits given, ProblemReporter problems) {
        long least = least(cache, given);
        long heap = least - beside(cache) - cache.directMemory() - LEAST_BUFFERS;
        String rest = "%s, %s of heap and %s for the JVM itself and the metadata store, and %s has %s"
                .formatted(needs(cache), size(heap), size(beside(cache)), machine.owner(), size(machine.bytes()));
        MemoryDemand largest = largest(cache, cache.nativeMemory());
        if (given.heap().orElse(0) > largest.size().bytes()) {
            problems.addOfSource(
                    given.source(),
                    "a heap of %s (-Xmx) is too much: %s".formatted(size(heap), rest),
                    "write a smaller -Xmx, such as -Xmx%dm, or leave the option out: the script millrace chooses it"
                            .formatted(USUAL_HEAP / MIB));
            return;
        }
        // Smaller settings do not help a machine that lacks even what all settings need.
        long always = least - cache.directMemory();
        problems.add(
                largest.key(),
                largest.size(),
                "is too much: " + rest,
                always < machine.bytes() || largest.key().equals(METADATA)
                        ? "make %s smaller, or give it more memory".formatted(largest.key())
                        : "give it more memory: %s are needed beside the memory of the cache, however small that is"
                                .formatted(size(always)));
    }

    /** Returns the key of the cache with the most memory. The index has a quarter of its size beside it. */
    private static MemoryDemand largest(CacheSettings cache, long metadata) {
        return Stream.of(
                        new MemoryDemand("cache.index-memory", cache.indexMemory()),
                        new MemoryDemand("cache.fill-memory", cache.fillMemory()),
                        new MemoryDemand("cache.memory-tier", cache.memoryTier()),
                        new MemoryDemand(METADATA, new DataSize(metadata)))
                .max(Comparator.comparing(MemoryDemand::size))
                .orElseThrow();
    }

    private static String needs(CacheSettings cache) {
        return cache.directMemory() == 0
                ? "connections need %s of direct memory".formatted(size(LEAST_BUFFERS))
                : ("cache.fill-memory %s, cache.index-memory %s and a quarter of that, cache.memory-tier %s, and %s for"
                                + " connections need %s of direct memory")
                        .formatted(
                                cache.fillMemory(),
                                cache.indexMemory(),
                                cache.memoryTier(),
                                size(LEAST_BUFFERS),
                                size(cache.directMemory() + LEAST_BUFFERS));
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
        if (bytes >= PresetJvmMemoryLimits.LARGEST) {
            return new DataSize(PresetJvmMemoryLimits.LARGEST) + " or more";
        }
        return DataSize.ofMebibytes((bytes + MIB - 1) / MIB).toString();
    }
}
