package io.millrace.cache.settings;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.nio.file.Path;
import java.util.Optional;

/** The settings of the metadata store: its folder, disk space and memory. */
public record MetadataSettings(
        @SettingDescription(
                "The folder of the metadata store, on a fast and reliable disk. By default the folder metadata below"
                        + " data.")
        Optional<Path> path,

        @SettingDescription(
                value = "Maximum disk space of object metadata, about 150 bytes per object. Above it, metadata of"
                        + " objects without cached bytes is removed first.",
                defaultValue = "2GiB")
        DataSize size,

        @SettingDescription(
                value = "Memory of the metadata store, for recently read entries and entries not yet in its files.",
                defaultValue = "64MiB")
        DataSize memory)
        implements SelfValidatingSettings {
    private static final DataSize LEAST_SIZE = DataSize.parse("64MiB");
    private static final DataSize LEAST_MEMORY = DataSize.parse("32MiB");

    @Override
    public void check(ProblemReporter problems) {
        if (size.compareTo(LEAST_SIZE) < 0) {
            problems.add("size", size, "is too small for a metadata store", "write %s or more".formatted(LEAST_SIZE));
        }
        if (memory.compareTo(LEAST_MEMORY) < 0) {
            problems.add(
                    "memory", memory, "is too little for a metadata store", "write %s or more".formatted(LEAST_MEMORY));
        }
    }
}
