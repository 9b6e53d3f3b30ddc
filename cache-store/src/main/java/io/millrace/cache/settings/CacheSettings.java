package io.millrace.cache.settings;

import io.millrace.config.DataSize;
import io.millrace.config.Setting;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.ValidatedSettings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where blocks are kept, and how large they are. */
public record CacheSettings(
        @Setting(
                value = "The unit of caching. Larger blocks need fewer backend requests for scans; smaller blocks"
                        + " waste less on small reads of large objects. A power of two from 256KiB to 4MiB.",
                defaultValue = "1MiB")
        DataSize blockSize,

        @Setting(
                value = "Memory for bytes in flight from backends to disks. Fills wait when it is used up.",
                defaultValue = "128MiB")
        DataSize memory,

        @Setting(
                value = "Memory for the index of cached blocks, 40 bytes per block. When it is full, eviction starts,"
                        + " as for a full disk. The frequency sketch takes another quarter of this size.",
                defaultValue = "192MiB")
        DataSize indexMemory,

        @Setting(
                value = "When to verify checksums of cached bytes before they are sent: once after they were written"
                        + " or recovered (first-read), or on every read (always).",
                defaultValue = "first-read")
        Verification verify,

        @Setting("The metadata store, which keeps object metadata between starts.")
        MetadataSettings metadata,

        @Setting("The scrub, which verifies checksums of cached bytes that nobody reads.")
        ScrubSettings scrub,

        @Setting("The cache folders, one per disk.") List<DiskSettings> disks)
        implements ValidatedSettings {
    private static final long SMALLEST = DataSize.parse("256KiB").bytes();
    private static final long LARGEST = DataSize.parse("4MiB").bytes();

    /** Some segments a day. */
    private static final DataSize LEAST_BUDGET = DataSize.parse("1GiB");

    private static final long USUAL_SEGMENT = DataSize.parse("128MiB").bytes();

    /** As far as places in the index reach. */
    private static final long LARGEST_SEGMENT = DataSize.parse("1GiB").bytes();

    /** A disk has so many segments at least, so that a removed one is a small part of what is cached. */
    private static final long FEW_SEGMENTS = 16;

    /** A large disk has larger ones instead of more than so many: each is an open file, and one to read at a start. */
    private static final long MANY_SEGMENTS = 4096;

    /** One disk. */
    public record DiskSettings(
            @Setting("A folder on that disk that only Millrace uses.")
            Path path,

            @Setting(value = "How many bytes the cache may take on this disk.", example = "20GiB")
            DataSize size,

            @Setting(
                    value = "Maximum bytes written to this disk per day, to limit SSD wear; records that eviction"
                            + " copies forward count too. When it is used up, blocks are served but not stored,"
                            + " and a little later only pinned records are copied. A restart resets the count."
                            + " Without it there is no limit.",
                    example = "2TiB")
            Optional<DataSize> writeBudget,

            @Setting(
                    value = "Whether the server refuses to start without this disk, for example if it is not mounted."
                            + " Otherwise the disk is lost until it is returned.",
                    defaultValue = "true")
            boolean required) {
        /** One that is required, and without a write budget. */
        public DiskSettings(Path path, DataSize size) {
            this(path, size, Optional.empty(), true);
        }
    }

    /** Settings whose rest is as it is without an operator's word. */
    public CacheSettings(DataSize blockSize, DataSize memory, DataSize indexMemory, List<DiskSettings> disks) {
        this(
                blockSize,
                memory,
                indexMemory,
                Verification.FIRST_READ,
                MetadataSettings.DEFAULT,
                ScrubSettings.DEFAULT,
                disks);
    }

    public CacheSettings {
        disks = List.copyOf(disks);
    }

    /**
     * Bytes for counts of how often things are read: a quarter of the index's, or less where the disks hold less than that counts,
     * with all of 4 KiB.
     */
    public long frequencyMemory() {
        long bytes = disks.stream().mapToLong(disk -> disk.size().bytes()).sum();
        return Math.max(1 << 10, Math.min(indexMemory.bytes() / 4, bytes / (4 << 10) * 32));
    }

    /** Bytes of direct memory that a cache with these settings may come to need; 0 without a disk. */
    public long directMemory() {
        return disks.isEmpty() ? 0 : memory.bytes() + indexMemory.bytes() + frequencyMemory();
    }

    /** Bytes of memory that is neither heap nor direct, which the metadata store takes; 0 without a disk. */
    public long nativeMemory() {
        return disks.isEmpty() ? 0 : metadata.memory().bytes();
    }

    /** Bytes of the largest segment on a disk of this size. */
    public long segmentBytes(long diskBytes) {
        // A record is a block and at most as much again for what stands before it.
        long least = 2 * blockSize.bytes() + DataSize.parse("1MiB").bytes();
        long usual = Math.min(LARGEST_SEGMENT, Math.max(USUAL_SEGMENT, diskBytes / MANY_SEGMENTS));
        return Math.max(least, Math.min(usual, diskBytes / FEW_SEGMENTS));
    }

    @Override
    public void check(ProblemReporter problems) {
        long bytes = blockSize.bytes();
        if (bytes < SMALLEST || bytes > LARGEST || Long.bitCount(bytes) != 1) {
            problems.add("block-size", blockSize, "is no power of two from 256KiB to 4MiB", "write 1MiB");
        }
        if (memory.bytes() < 16 * bytes) {
            problems.add("memory", memory, "holds less than 16 blocks", "write 128MiB");
        }
        Set<Path> seen = new HashSet<>();
        for (int i = 0; i < disks.size(); i++) {
            DataSize size = disks.get(i).size();
            DataSize least = new DataSize(2 * segmentBytes(0));
            if (size.compareTo(least) < 0) {
                problems.add(
                        "disks[" + i + "].size",
                        size,
                        "is too small for a cache with blocks of " + blockSize,
                        "write %s or more; what it is to keep tells how much".formatted(least));
            }
            Optional<DataSize> budget = disks.get(i).writeBudget();
            if (budget.isPresent() && budget.get().compareTo(LEAST_BUDGET) < 0) {
                problems.add(
                        "disks[" + i + "].write-budget",
                        budget.get(),
                        "is less than is needed to write anything",
                        "write %s or more, or leave it out".formatted(LEAST_BUDGET));
            }
            Path path = disks.get(i).path();
            if (!seen.add(path)) {
                problems.add(
                        "disks[" + i + "].path", path, "is a folder of another disk already", "give each disk its own");
            }
        }
    }
}
