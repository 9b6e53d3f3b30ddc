package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.index.FingerprintHash;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stale epoch is recorded as long as one place takes it. */
@Timeout(300)
class StaleEpochRecorderTest {
    @TempDir
    private Path folder;

    @Test
    void everyPlaceTakesIt() throws IOException {
        StaleEpochRecorder records = new StaleEpochRecorder(registry(), () -> List.of(disk("a"), disk("b")));

        records.record(5);

        assertThat(registry().stale()).isEqualTo(5);
        assertThat(Superblock.read(folder.resolve("a")).orElseThrow().stale()).isEqualTo(5);
        assertThat(Superblock.read(folder.resolve("b")).orElseThrow().stale()).isEqualTo(5);
    }

    @Test
    void oneThatRefusesIsNoMatter() throws IOException {
        SuperblockUpdater gone = disk("a");
        gone.close();
        StaleEpochRecorder records = new StaleEpochRecorder(registry(), () -> List.of(gone));

        records.record(5);

        assertThat(registry().stale()).isEqualTo(5);
        assertThat(Superblock.read(folder.resolve("a")).orElseThrow().stale()).isZero();
    }

    @Test
    void oneThatHangsIsNotWaitedForLong() throws Exception {
        SuperblockUpdater hanging = disk("a");
        StaleEpochRecorder records = new StaleEpochRecorder(registry(), () -> List.of(hanging));
        try (Standstill standstill =
                Standstill.of(DurableFiles.freshBeside(folder.resolve("a").resolve(Superblock.NAME)))) {
            // It hangs until the end of this: whoever waited for it would not come here.
            records.record(5);

            assertThat(registry().stale()).isEqualTo(5);
        }
        assertThat(registry().stale()).isEqualTo(5);
    }

    @Test
    void itFailsWhereNoPlaceTakesIt() throws IOException {
        CacheStateFile closed = registry();
        closed.end();
        SuperblockUpdater gone = disk("a");
        gone.close();

        assertThatThrownBy(() -> new StaleEpochRecorder(closed, () -> List.of(gone)).record(5))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("neither");
    }

    private CacheStateFile registry() throws IOException {
        return CacheStateFile.read(folder.resolve("data"));
    }

    private SuperblockUpdater disk(String name) {
        try {
            Path disk = Files.createDirectories(folder.resolve(name));
            Superblock superblock = Superblock.fresh(new UUID(1, 2), new FingerprintHash(3, 4));
            superblock.write(disk);
            return new SuperblockUpdater(disk, superblock);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
