package io.millrace.cache.settings;

import io.millrace.config.Checked;
import io.millrace.config.DataSize;
import io.millrace.config.Problems;
import io.millrace.config.Setting;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where blocks are kept, and how large they are. */
public record CacheSettings(
        @Setting(
                value = "The unit of caching. Larger blocks serve scans with fewer requests, smaller ones waste less on"
                        + " small reads out of large objects. A power of two from 256KiB to 4MiB.",
                byDefault = "1MiB")
        DataSize blockSize,

        @Setting(
                value = "Memory for bytes on their way from backends to the disks. Fills wait when it is used up.",
                byDefault = "128MiB")
        DataSize memory,

        @Setting(
                value =
                        "Memory for the table of cached blocks: 40 bytes each. When it is used up the oldest"
                                + " content goes, as when a disk is full. A quarter as much again is for how often things are read.",
                byDefault = "192MiB")
        DataSize indexMemory,

        @Setting(
                value =
                        "When bytes from the disks are compared with their checksums before they are sent: once after they were"
                                + " written or found at a start, and sent from the file from then on (first-read), or each time (always).",
                byDefault = "first-read")
        Verification verify,

        @Setting("What is known of objects besides their bytes, and where that is kept.")
        MetadataSettings metadata,

        @Setting("How often what lies on the disks is compared with its checksums though nobody reads it.")
        ScrubSettings scrub,

        @Setting("The folders blocks are kept in, one for each disk.")
        List<DiskSettings> disks)
        implements Checked {
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
            @Setting("A folder of its own for Millrace, on that disk.")
            Path path,

            @Setting(value = "How much of the disk blocks may take.", example = "20GiB")
            DataSize size,

            @Setting(
                    value =
                            "Bytes that may be written to it in a day, for what an SSD is worn out by: copies of what is"
                                    + " worth keeping count too. When they are used up, blocks are served and not stored, and a little later"
                                    + " nothing is copied but what a job keeps. A restart forgets what was written before. Without it"
                                    + " there is no limit.",
                    example = "2TiB")
            Optional<DataSize> writeBudget,

            @Setting(
                    value =
                            "Whether a start without it is refused, as when it is not mounted. Otherwise it is lost until it"
                                    + " is returned.",
                    byDefault = "true")
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
    public void check(Problems problems) {
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
