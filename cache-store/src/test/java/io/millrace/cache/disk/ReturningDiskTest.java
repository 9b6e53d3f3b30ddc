package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.monitor.DiskSnapshot.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A disk goes and comes back at any time: what lies there is known once, or not at all. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class ReturningDiskTest {
    private static final int RECORDS = 40;

    @TempDir
    Path folder;

    @Test
    void returnedSegmentsGetNewNumbers() throws Exception {
        fill();
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (BlockStore store = Stores.open(folder, "16MiB", "16MiB")) {
            SharedDiskComponents parts = store.disks().parts();
            int highest = parts.segments().lastNumber();
            List<Segment> before = parts.segments().all();
            Files.move(disk, away);
            awaitLoss(store);
            List<Segment> others = parts.segments().all();
            assertThat(others.size()).isLessThan(before.size());

            Files.move(away, disk);
            store.disks().returnDisk(0);

            List<Segment> after = parts.segments().all();
            assertThat(after).hasSameSizeAs(before).containsAll(others);
            assertThat(after.stream()
                            .filter(segment -> !others.contains(segment))
                            .mapToInt(Segment::number))
                    .isNotEmpty()
                    .allMatch(number -> number > highest);
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.reads(store, i)).as("record %d", i).isTrue();
            }
        }
        try (BlockStore store = Stores.open(folder, "16MiB", "16MiB")) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.reads(store, i)).as("record %d", i).isTrue();
            }
        }
    }

    @Test
    void diskLostDuringRecoveryLeavesNoIndexEntries() throws Exception {
        fill();
        Path disk = folder.resolve("disk-0");
        try (BlockStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            Files.move(disk.resolve(Superblock.NAME), folder.resolve("superblock"));
            awaitLoss(store);
            assertThat(Stores.segments(disk)).isNotEmpty();

            store.disks().recover();

            assertThat(store.disks().states().get(0).segments()).isZero();
            assertThat(store.disks().states().get(0).used()).isZero();
            SharedDiskComponents parts = store.disks().parts();
            assertThat(store.records()).isPositive().isLessThan(RECORDS);
            for (int i = 0; i < RECORDS; i++) {
                var entry = parts.index().find(Stores.key(store, i));
                assertThat(entry == null || parts.segments().get(entry.segment()) != null)
                        .isTrue();
            }
        }
    }

    @Test
    void reattachesDiskOnlyAfterRecovery() throws Exception {
        fill();
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (BlockStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            Files.move(disk, away);
            awaitLoss(store);
            Files.move(away, disk);

            assertThatThrownBy(() -> store.disks().returnDisk(0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(disk.toString())
                    .hasMessageContaining("still being recovered: try again when 'millrace disks'");
            assertThat(store.disks().states().get(0).condition()).isEqualTo(Condition.LOST);

            store.disks().recover();
            store.disks().returnDisk(0);

            assertThat(store.disks().states().get(0).condition()).isEqualTo(Condition.HEALTHY);
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.reads(store, i)).as("record %d", i).isTrue();
            }
        }
    }

    private void fill() throws Exception {
        try (BlockStore store = Stores.open(folder, "16MiB", "16MiB")) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.stored(Stores.write(store, i, 1000))).isTrue();
            }
            assertThat(Stores.segments(folder.resolve("disk-0"))).isNotEmpty();
            assertThat(Stores.segments(folder.resolve("disk-1"))).isNotEmpty();
        }
    }

    private static void awaitLoss(BlockStore store) {
        Polling.until(
                "the disk is lost with its segments",
                () -> store.disks().states().get(0).condition() == Condition.LOST
                        && store.disks().states().get(0).segments() == 0);
    }
}
