package io.millrace.cache.settings;

import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.config.DataSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Cache settings for tests. */
public final class CacheSettingsFixture {
    public static final MetadataSettings METADATA =
            new MetadataSettings(Optional.empty(), DataSize.parse("2GiB"), DataSize.parse("64MiB"));

    public static final ScrubSettings SCRUB = new ScrubSettings(Duration.ofDays(7), DataSize.parse("32MiB"));

    private CacheSettingsFixture() {}

    /** Returns settings with the defaults for everything else. */
    public static CacheSettings of(
            DataSize blockSize, DataSize fillMemory, DataSize indexMemory, List<DiskSettings> disks) {
        return new CacheSettings(
                blockSize,
                fillMemory,
                indexMemory,
                new DataSize(0),
                ChecksumVerification.FIRST_READ,
                METADATA,
                SCRUB,
                disks);
    }
}
