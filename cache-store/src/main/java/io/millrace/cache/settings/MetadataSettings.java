package io.millrace.cache.settings;

import io.millrace.config.Checked;
import io.millrace.config.DataSize;
import io.millrace.config.Problems;
import io.millrace.config.Setting;
import java.nio.file.Path;
import java.util.Optional;

/** Where object metadata is kept, and how much of it. */
public record MetadataSettings(
        @Setting(
                "The folder of the metadata store, on a disk that is fast and reliable. Without it, the folder metadata below data.")
        Optional<Path> path,

        @Setting(
                value =
                        "How much disk space object metadata may take: some 150 bytes an object. Beyond that, metadata of objects"
                                + " without cached bytes is removed first.",
                byDefault = "2GiB")
        DataSize size,

        @Setting(
                value =
                        "Memory of the metadata store: recently read entries, and entries that are not yet in its files.",
                byDefault = "64MiB")
        DataSize memory)
        implements Checked {
    /** An operator who says nothing has these. */
    public static final MetadataSettings DEFAULT =
            new MetadataSettings(Optional.empty(), DataSize.parse("2GiB"), DataSize.parse("64MiB"));

    private static final DataSize LEAST_SIZE = DataSize.parse("64MiB");
    private static final DataSize LEAST_MEMORY = DataSize.parse("32MiB");

    @Override
    public void check(Problems problems) {
        if (size.compareTo(LEAST_SIZE) < 0) {
            problems.add("size", size, "is too small for a metadata store", "write %s or more".formatted(LEAST_SIZE));
        }
        if (memory.compareTo(LEAST_MEMORY) < 0) {
            problems.add(
                    "memory", memory, "is too little for a metadata store", "write %s or more".formatted(LEAST_MEMORY));
        }
    }
}
