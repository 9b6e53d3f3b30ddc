package io.millrace.gateway.objects.testkit;

import io.millrace.cache.BlockCache;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.ChecksumVerification;
import io.millrace.cache.settings.MetadataSettings;
import io.millrace.cache.settings.ScrubSettings;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Caches for tests. */
public final class CacheFixture {
    private CacheFixture() {}

    /** One disk of 1 GiB in this folder, recovered. */
    public static BlockCache in(Path folder) throws IOException {
        return in(folder, "1GiB", InstantSource.system());
    }

    /** One disk of 1 GiB in this folder, recovered; with a listener. */
    public static BlockCache in(Path folder, CacheEventListener events) throws IOException {
        return in(folder, "1GiB", InstantSource.system(), events);
    }

    /** One disk of 1 GiB in this folder, recovered; with the least memory for fills, 16 blocks. */
    public static BlockCache withLittleMemory(Path folder) throws IOException {
        return in(folder, "1GiB", InstantSource.system(), CacheEventListener.NONE, "16MiB");
    }

    /** One disk of this size in this folder, recovered. */
    public static BlockCache in(Path folder, String size, InstantSource clock) throws IOException {
        return in(folder, size, clock, CacheEventListener.NONE);
    }

    /** One disk of 1 GiB in this folder, recovered; with groups whose bytes are counted. */
    public static BlockCache counting(Path folder, List<ResidencyGroup> groups) throws IOException {
        return in(folder, "1GiB", InstantSource.system(), CacheEventListener.NONE, "128MiB", groups);
    }

    private static BlockCache in(Path folder, String size, InstantSource clock, CacheEventListener events)
            throws IOException {
        return in(folder, size, clock, events, "128MiB");
    }

    private static BlockCache in(
            Path folder, String size, InstantSource clock, CacheEventListener events, String fillMemory)
            throws IOException {
        return in(folder, size, clock, events, fillMemory, List.of());
    }

    private static BlockCache in(
            Path folder,
            String size,
            InstantSource clock,
            CacheEventListener events,
            String fillMemory,
            List<ResidencyGroup> groups)
            throws IOException {
        CacheSettings settings = new CacheSettings(
                DataSize.parse("1MiB"),
                DataSize.parse(fillMemory),
                DataSize.parse("64MiB"),
                DataSize.parse("1MiB"),
                ChecksumVerification.FIRST_READ,
                new MetadataSettings(Optional.empty(), DataSize.parse("2GiB"), DataSize.parse("64MiB")),
                new ScrubSettings(Duration.ofDays(7), DataSize.parse("32MiB")),
                List.of(new DiskSettings(folder.resolve("disk"), DataSize.parse(size))));
        BlockCache cache = BlockCache.open(settings, groups, folder.resolve("data"), events, clock);
        cache.recover();
        return cache;
    }
}
