package io.millrace.cache.settings;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The settings of the cache: its disks, block size and memory. */
public record CacheSettings(
        @SettingDescription(
                value = "The unit of caching. Larger blocks need fewer backend requests for scans; smaller blocks"
                        + " waste less on small reads of large objects. A power of two from 256KiB to 4MiB.",
                defaultValue = "1MiB")
        DataSize blockSize,

        @SettingDescription(
                value = "Memory for bytes in flight from backends to disks. Fills wait when it is used up.",
                defaultValue = "128MiB")
        DataSize fillMemory,

        @SettingDescription(
                value = "Memory for the index of cached blocks, 40 bytes per block. When it is full, eviction starts,"
                        + " as for a full disk. The frequency sketch takes another quarter of this size.",
                defaultValue = "192MiB")
        DataSize indexMemory,

        @SettingDescription(
                value = "Memory for copies of blocks and ranges of at most 64 KiB that are read often, which saves"
                        + " reading the disk or its page cache. 0 turns it off.",
                defaultValue = "16MiB")
        DataSize memoryTier,

        @SettingDescription(
                value = "When to verify checksums of cached bytes before they are sent: once after they were written"
                        + " or recovered (first-read), or on every read (always).",
                defaultValue = "first-read")
        ChecksumVerification verify,

        @SettingDescription("The metadata store, which keeps object metadata between starts.")
        MetadataSettings metadata,

        @SettingDescription("The scrub, which verifies checksums of cached bytes that nobody reads.")
        ScrubSettings scrub,

        @SettingDescription("The cache folders, one per disk.")
        List<DiskSettings> disks)
        implements SelfValidatingSettings {
    private static final long SMALLEST = DataSize.parse("256KiB").bytes();
    private static final long LARGEST = DataSize.parse("4MiB").bytes();

    /** The smallest write budget: some segments a day. */
    private static final DataSize LEAST_BUDGET = DataSize.parse("1GiB");

    private static final long USUAL_SEGMENT = DataSize.parse("128MiB").bytes();

    /** The largest segment that positions in the index can address. */
    private static final long LARGEST_SEGMENT = DataSize.parse("1GiB").bytes();

    /** The fewest segments of a disk, so that evicting one removes a small part of the cache. */
    private static final long FEW_SEGMENTS = 16;

    /** The most segments of a disk; a larger disk has larger segments. Each is an open file, and is read at a start. */
    private static final long MANY_SEGMENTS = 4096;

    /** The settings of one cache disk. */
    public record DiskSettings(
            @SettingDescription("A folder on that disk that only Millrace uses.")
            Path path,

            @SettingDescription(value = "How many bytes the cache may take on this disk.", example = "20GiB")
            DataSize size,

            @SettingDescription(
                    value = "Maximum bytes written to this disk per day, to limit SSD wear; records that eviction"
                            + " copies forward count too. When it is used up, blocks are served but not stored,"
                            + " and a little later only pinned records are copied. A restart resets the count."
                            + " Without it there is no limit.",
                    example = "2TiB")
            Optional<DataSize> writeBudget,

            @SettingDescription(
                    value = "Whether the server refuses to start without this disk, for example if it is not mounted."
                            + " Otherwise the disk is lost until it is reattached.",
                    defaultValue = "true")
            boolean required) {
        /** Creates the settings of a required disk without a write budget. */
        public DiskSettings(Path path, DataSize size) {
            this(path, size, Optional.empty(), true);
        }
    }

    public CacheSettings {
        disks = List.copyOf(disks);
    }

    /**
     * Returns the bytes of the frequency sketch: a quarter of the index memory, or less if the disks hold fewer blocks
     * of 4 KiB than that counts.
     */
    public long frequencyMemory() {
        long bytes = disks.stream().mapToLong(disk -> disk.size().bytes()).sum();
        return Math.max(1 << 10, Math.min(indexMemory.bytes() / 4, bytes / (4 << 10) * 32));
    }

    /** Returns the most direct memory that a cache with these settings uses, in bytes; 0 without a disk. */
    public long directMemory() {
        return disks.isEmpty() ? 0 : fillMemory.bytes() + indexMemory.bytes() + frequencyMemory() + memoryTier.bytes();
    }

    /** Returns the bytes that the metadata store uses outside heap and direct memory; 0 without a disk. */
    public long nativeMemory() {
        return disks.isEmpty() ? 0 : metadata.memory().bytes();
    }

    /** Returns the maximum segment size, in bytes, on a disk of this size. */
    public long segmentBytes(long diskBytes) {
        // A record is a block plus at most as much again for its header.
        long least = 2 * blockSize.bytes() + DataSize.parse("1MiB").bytes();
        long usual = Math.min(LARGEST_SEGMENT, Math.max(USUAL_SEGMENT, diskBytes / MANY_SEGMENTS));
        return Math.max(least, Math.min(usual, diskBytes / FEW_SEGMENTS));
    }

    @Override
    public void check(ProblemReporter problems) {
        long bytes = blockSize.bytes();
        if (bytes < SMALLEST || bytes > LARGEST || Long.bitCount(bytes) != 1) {
            problems.add("block-size", blockSize, "is not a power of two from 256KiB to 4MiB", "write 1MiB");
        }
        if (fillMemory.bytes() < 16 * bytes) {
            problems.add("fill-memory", fillMemory, "holds less than 16 blocks", "write 128MiB");
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
                        "write %s or more, depending on the data to cache".formatted(least));
            }
            Optional<DataSize> budget = disks.get(i).writeBudget();
            if (budget.isPresent() && budget.get().compareTo(LEAST_BUDGET) < 0) {
                problems.add(
                        "disks[" + i + "].write-budget",
                        budget.get(),
                        "is too small to write anything",
                        "write %s or more, or leave it out".formatted(LEAST_BUDGET));
            }
            Path path = disks.get(i).path();
            if (!seen.add(path)) {
                problems.add(
                        "disks[" + i + "].path", path, "is also the folder of another disk", "give each disk its own");
            }
        }
    }
}
