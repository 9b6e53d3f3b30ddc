package io.millrace.cache;

import io.millrace.config.Checked;
import io.millrace.config.DataSize;
import io.millrace.config.Problems;
import io.millrace.config.Setting;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Where blocks are kept, and how large they are. */
public record CacheSettings(
        @Setting(
                value = "The unit of caching. Larger blocks serve scans with fewer requests, smaller ones waste less on"
                        + " small reads out of large objects. A power of two from 256KiB to 4MiB.",
                byDefault = "1MiB")
        DataSize blockSize,

        @Setting("The folders blocks are kept in, one for each disk.")
        List<DiskSettings> disks)
        implements Checked {
    private static final long SMALLEST = DataSize.parse("256KiB").bytes();
    private static final long LARGEST = DataSize.parse("4MiB").bytes();

    /** One disk. */
    public record DiskSettings(
            @Setting("A folder of its own for Millrace, on that disk.")
            Path path,

            @Setting(value = "How much of the disk blocks may take.", example = "20GiB")
            DataSize size) {}

    public CacheSettings {
        disks = List.copyOf(disks);
    }

    @Override
    public void check(Problems problems) {
        long bytes = blockSize.bytes();
        if (bytes < SMALLEST || bytes > LARGEST || Long.bitCount(bytes) != 1) {
            problems.add("block-size", blockSize, "is no power of two from 256KiB to 4MiB", "write 1MiB");
        }
        Set<Path> seen = new HashSet<>();
        for (int i = 0; i < disks.size(); i++) {
            Path path = disks.get(i).path();
            if (!seen.add(path)) {
                problems.add(
                        "disks[" + i + "].path", path, "is a folder of another disk already", "give each disk its own");
            }
        }
    }
}
