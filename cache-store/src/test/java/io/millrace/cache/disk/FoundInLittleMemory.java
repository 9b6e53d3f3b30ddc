package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program of its own that reads what lies on disks, and tells how many records that are. */
final class FoundInLittleMemory {
    private FoundInLittleMemory() {}

    static BlockStore open(Path folder, int disks) throws IOException {
        List<DiskSettings> settings = new ArrayList<>();
        for (int i = 0; i < disks; i++) {
            settings.add(new DiskSettings(folder.resolve("disk-" + i), DataSize.parse("8GiB")));
        }
        return BlockStore.open(
                CacheSettingsFixture.of(
                        DataSize.parse("256KiB"), DataSize.parse("1MiB"), DataSize.parse("384MiB"), settings),
                folder.resolve("data"),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                CacheEventListener.NONE);
    }

    /** The folder, and how many disks are in it. */
    public static void main(String[] args) throws IOException {
        try (BlockStore store = open(Path.of(args[0]), Integer.parseInt(args[1]))) {
            long began = System.nanoTime();
            store.disks().recover();
            System.out.println(store.records() + " records in " + (System.nanoTime() - began) / 1_000_000 + " ms");
        } finally {
            // What could not be read may hold threads up.
            Runtime.getRuntime().halt(0);
        }
    }
}
