package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests when a start takes all metadata for stale (something of the last run may be lost), and when a folder is
 * refused.
 */
class OpenDiskFoldersTest {
    @TempDir
    private Path folder;

    @Test
    void cleanStopKeepsMetadataFresh() throws IOException {
        run(true, "a");
        edit("boot", "another");

        assertThat(staleAtStart("a")).isZero();
    }

    @Test
    void killWithoutRebootKeepsMetadataFresh() throws IOException {
        run(false, "a");

        assertThat(staleAtStart("a")).isZero();
    }

    @Test
    void allIsStaleAfterAPowerLoss() throws IOException {
        run(false, "a");
        edit("boot", "another");

        assertThat(staleAtStart("a")).isEqualTo(StaleEpoch.first(2));
    }

    @Test
    void killWithMissingDiskMakesMetadataStale() throws IOException {
        run(false, "a", "b");

        assertThat(staleAtStart("a")).isEqualTo(StaleEpoch.first(2));
    }

    @Test
    void cleanStopWithMissingDiskKeepsMetadataFresh() throws IOException {
        run(true, "a", "b");

        assertThat(staleAtStart("a")).isZero();
    }

    @Test
    void lostOrOutdatedRegistryMakesMetadataStale() throws IOException {
        run(true, "a");
        Path registry = folder.resolve("data").resolve(CacheStateFile.NAME);
        String older = Files.readString(registry);
        run(true, "a");
        Files.writeString(registry, older);
        assertThat(staleAtStart("a")).isEqualTo(StaleEpoch.first(3));

        Files.delete(registry);
        assertThat(staleAtStart("a")).isEqualTo(StaleEpoch.first(4));
    }

    @Test
    void staleEpochOfAnyDiskCounts() throws IOException {
        try (OpenDiskFolders opened = open("a", "b")) {
            new SuperblockUpdater(folder.resolve("b"), opened.superblocks().get(1)).stale(77);
            opened.state().stopped();
        }

        assertThat(staleAtStart("a", "b")).isEqualTo(77);
    }

    @Test
    void runsAreCounted() throws IOException {
        run(true, "a");
        run(false, "a");
        try (OpenDiskFolders opened = open("a", "b")) {
            assertThat(opened.run()).isEqualTo(3);
            assertThat(opened.superblocks()).allMatch(superblock -> superblock.run() == 3);
        }
    }

    @Test
    void emptiedFolderIsRefusedUntilItIsForgotten() throws IOException {
        run(true, "a", "b");
        try (Stream<Path> files = Files.walk(folder.resolve("a"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        assertThatThrownBy(() -> open("a", "b"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is its disk mounted?")
                .hasMessageContaining("MILLRACE_CACHE_DISKS_0_REQUIRED")
                .hasMessageContaining(
                        "'millrace disks forget --data %s %s'".formatted(folder.resolve("data"), folder.resolve("a")));

        assertThat(CacheFolderInspector.forget(folder.resolve("a"), folder.resolve("data")))
                .isTrue();

        assertThat(CacheFolderInspector.forget(folder.resolve("a"), folder.resolve("data")))
                .isFalse();
        try (OpenDiskFolders opened = open("a", "b")) {
            assertThat(opened.run()).isEqualTo(2);
            assertThat(opened.stale()).isZero();
        }
    }

    private void run(boolean stops, String... disks) throws IOException {
        try (OpenDiskFolders opened = open(disks)) {
            if (stops) {
                opened.state().stopped();
            }
        }
    }

    private long staleAtStart(String... disks) throws IOException {
        try (OpenDiskFolders opened = open(disks)) {
            return opened.stale();
        }
    }

    private OpenDiskFolders open(String... disks) throws IOException {
        List<DiskSettings> settings = new ArrayList<>();
        Stream.of(disks)
                .forEach(disk -> settings.add(
                        new DiskSettings(folder.resolve(disk), DataSize.parse("16MiB"), Optional.empty(), true)));
        return OpenDiskFolders.open(settings, folder.resolve("data"));
    }

    private void edit(String name, String value) throws IOException {
        Path registry = folder.resolve("data").resolve(CacheStateFile.NAME);
        Files.writeString(registry, Files.readString(registry).replaceAll("(?m)^" + name + "=.*$", name + "=" + value));
    }
}
