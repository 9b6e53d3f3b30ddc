package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.DiskSnapshot.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A disk that cannot be written costs hits, nothing else: reads go on, and it is tried again. */
@ExtendWith(BufferLeakExtension.class)
class WriteFailureTest {
    @TempDir
    Path folder;

    @Test
    void diskThatFailsIsTriedAgainLater() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            // Not the folder itself: a disk that is gone for two probes is lost.
            String next = "%08d%s".formatted(store.disks().parts().segments().lastNumber() + 1, Segment.SUFFIX);
            Path inTheWay = Files.createDirectory(folder.resolve("disk-0").resolve(next));

            assertThat(Stores.stored(Stores.write(store, 1, 1000))).isFalse();
            assertThat(Stores.stored(Stores.write(store, 2, 1000))).isFalse();
            assertThat(store.disks().used()).isZero();
            assertThat(store.disks().states().get(0).condition()).isEqualTo(Condition.PAUSED);

            Files.delete(inTheWay);
            Polling.until("it stores again", () -> Stores.stored(Stores.write(store, 3, 1000)));
            assertThat(Stores.reads(store, 3)).isTrue();
            assertThat(store.disks().states().get(0).condition()).isEqualTo(Condition.HEALTHY);
        }
    }

    @Test
    void smallerDiskThanConfiguredHoldsTheLatestBlocks() throws IOException, InterruptedException {
        Path small = mount("8m");
        try {
            try (BlockStore store = Stores.open(folder, "1GiB")) {
                assertThat(store.disks().limit()).isBetween(5L << 20, 8L << 20);
                for (int i = 0; i < 300; i++) {
                    assertThat(Stores.stored(Stores.write(store, i, 100_000)))
                            .as("record %d", i)
                            .isTrue();
                }
                assertThat(readable(store, 0, 200)).isZero();
                assertThat(readable(store, 260, 300)).isEqualTo(40);
            }
            try (BlockStore store = Stores.open(folder, "1GiB")) {
                assertThat(readable(store, 260, 300)).isEqualTo(40);
            }
        } finally {
            run("umount", small.toString());
        }
    }

    @Test
    void diskThatOthersFillGivesWayAndGrowsAgain() throws IOException, InterruptedException {
        Path small = mount("12m");
        try (BlockStore store = Stores.open(folder, "9MiB")) {
            int number = write(store, 0, 70);
            long before = store.disks().used();
            Path filler = small.resolve("filler");
            Files.write(filler, new byte[(int) usable(small)]);

            number = write(store, number, 60);
            assertThat(store.disks().limit()).isLessThan(9L << 20);
            assertThat(store.disks().used()).isLessThan(before);
            assertThat(readable(store, number - 20, number)).isGreaterThan(10);

            Files.delete(filler);
            number = write(store, number, 90);
            assertThat(store.disks().limit()).isEqualTo(9L << 20);
            assertThat(readable(store, number - 70, number)).isEqualTo(70);
        } finally {
            run("umount", small.toString());
        }
    }

    /** Disks with more room are given all there is to write. */
    @Test
    void detectsFreedSpaceWithoutWrites() throws IOException, InterruptedException {
        Path small = mount("12m");
        Stores.open(folder, "9MiB").close();
        Path filler = small.resolve("filler");
        Files.write(filler, new byte[8 << 20]);
        try (BlockStore store = Stores.open(folder, "9MiB")) {
            assertThat(store.disks().limit()).isLessThan(9L << 20);

            Files.delete(filler);

            Polling.until("it has grown", () -> store.disks().limit() == 9L << 20);
        } finally {
            run("umount", small.toString());
        }
    }

    @Test
    void detectsTakenSpaceWithoutWrites() throws IOException, InterruptedException {
        Path small = mount("12m");
        try (BlockStore store = Stores.open(folder, "9MiB")) {
            assertThat(store.disks().limit()).isEqualTo(9L << 20);

            Files.write(small.resolve("filler"), new byte[8 << 20]);

            Polling.until("it has shrunk", () -> store.disks().limit() < 9L << 20);
        } finally {
            run("umount", small.toString());
        }
    }

    @Test
    void fullDiskIsReadAndRetried() throws IOException, InterruptedException {
        Path small = mount("8m");
        try (BlockStore store = Stores.open(folder, "1GiB")) {
            write(store, 0, 5);
            Path filler = small.resolve("filler");
            Files.write(filler, new byte[(int) usable(small)]);
            for (int i = 5; i < 10; i++) {
                assertThat(Stores.stored(Stores.write(store, i, 100_000))).isFalse();
            }
            assertThat(readable(store, 0, 5)).isEqualTo(5);

            Files.delete(filler);
            Polling.until("it stores again", () -> Stores.stored(Stores.write(store, 10, 1000)));
            assertThat(readable(store, 0, 5)).isEqualTo(5);
        } finally {
            run("umount", small.toString());
        }
    }

    /** Writes so many records, some of which may be lost while room is made; the number behind the last. */
    private static int write(BlockStore store, int first, int count) {
        int lost = 0;
        for (int i = first; i < first + count; i++) {
            lost += Stores.stored(Stores.write(store, i, 100_000)) ? 0 : 1;
        }
        assertThat(lost).isLessThan(3);
        return first + count;
    }

    private static int readable(BlockStore store, int first, int end) throws IOException {
        int readable = 0;
        for (int i = first; i < end; i++) {
            readable += Stores.reads(store, i) ? 1 : 0;
        }
        return readable;
    }

    @Test
    void writerOutlivesAnyFailureAndNotifiesAllCallers() throws IOException {
        CacheEventListener throwing = new CacheEventListener() {
            @Override
            public void diskError() {
                throw new OutOfMemoryError("of a test");
            }
        };
        try (BlockStore store = Stores.openUnknown(folder, throwing, "16MiB")) {
            store.disks().recover();
            Path disk = folder.resolve("disk-0");
            Path away = folder.resolve("away");
            Files.move(disk, away);

            assertThat(Stores.stored(Stores.write(store, 1, 1000))).isFalse();
            assertThat(Stores.stored(Stores.write(store, 2, 1000))).isFalse();

            Files.move(away, disk);
        }
    }

    private Path mount(String size) throws IOException, InterruptedException {
        Path small = Files.createDirectory(folder.resolve("disk-0"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", small.toString()),
                "needs the right to mount");
        return small;
    }

    private static long usable(Path folder) throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }
}
