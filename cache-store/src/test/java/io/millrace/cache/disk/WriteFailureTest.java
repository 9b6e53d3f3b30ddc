package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.CacheRecorder;
import io.millrace.cache.Copied;
import io.millrace.cache.DiskState.Condition;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that cannot be written costs hits, nothing else: reads go on, and it is tried again. */
@ExtendWith(LeakGuard.class)
class WriteFailureTest {
    @TempDir
    Path folder;

    @Test
    void diskThatFailsIsTriedAgainLater() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            Path disk = folder.resolve("disk-0");
            Path away = folder.resolve("away");
            Files.move(disk, away);

            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1, 1000))).isFalse();
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 2, 1000))).isFalse();
            assertThat(store.used()).isZero();
            assertThat(store.states().get(0).condition()).isEqualTo(Condition.RESTING);

            Files.move(away, disk);
            boolean stored = false;
            for (int i = 0; i < 150 && !stored; i++) {
                pause();
                stored = Stores.stored(Stores.write(store, Kind.BLOCK, 3, 1000));
            }
            assertThat(stored).isTrue();
            assertThat(Stores.reads(store, 3)).isTrue();
            assertThat(store.states().get(0).condition()).isEqualTo(Condition.GOOD);
        }
    }

    @Test
    void headThatCouldNotBeTakenOutIsNotFoundAndIsDoubtfulLater() throws IOException {
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            Stores.stored(Stores.write(store, Kind.HEAD, 1, 0));
        }
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(store.contains(Stores.key(store, 1))).isTrue();
            Files.move(disk, away);

            assertThat(Stores.stored(Stores.write(store, Kind.TOMBSTONE, 1, 0))).isFalse();

            assertThat(store.contains(Stores.key(store, 1))).isFalse();
            assertThat(Stores.reads(store, 1)).isFalse();
            Files.move(away, disk);
        }
        try (BlockStore store = Stores.open(folder, "16MiB");
                StoredBlock record = store.find(Stores.key(store, 1))) {
            assertThat(record).isNotNull();
            StoredBlock.Front front = record.readFront();
            assertThat(front).isNotNull();
            assertThat(front.doubtful()).isTrue();
        }
    }

    /** A caller may be an event loop, so there is no look at the number of what lies there, though it is newer. */
    @Test
    void whatADiskThatRestsTakesNoMoreLeavesNothingToBeFoundAndReadsNothing() throws IOException {
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        long older;
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            older = store.nextSequence();
            assertThat(Stores.stored(Stores.write(store, Kind.HEAD, 1, 0))).isTrue();
        }
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            Files.move(disk, away);
            assertThat(Stores.stored(Stores.write(store, Kind.HEAD, 2, 0))).isFalse();
            assertThat(store.states().get(0).condition()).isEqualTo(Condition.RESTING);

            CompletableFuture<Boolean> stored = new CompletableFuture<>();
            store.write(
                    new BlockDraft(
                            Kind.HEAD,
                            older,
                            Stores.key(store, 1),
                            Fingerprint.NONE,
                            0,
                            ByteBuffer.allocate(0),
                            List.of()),
                    stored::complete);

            assertThat(stored).isCompletedWithValue(false);
            assertThat(store.contains(Stores.key(store, 1))).isFalse();
            Files.move(away, disk);
        }
    }

    @Test
    void diskWithLessRoomThanItsSizeSaysKeepsWhatCameLast() throws IOException, InterruptedException {
        Path small = mount("8m");
        try {
            try (BlockStore store = Stores.open(folder, "1GiB")) {
                assertThat(store.room()).isBetween(5L << 20, 8L << 20);
                for (int i = 0; i < 300; i++) {
                    assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, i, 100_000)))
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
            long before = store.used();
            Path filler = small.resolve("filler");
            Files.write(filler, new byte[(int) usable(small)]);

            number = write(store, number, 60);
            assertThat(store.room()).isLessThan(9L << 20);
            assertThat(store.used()).isLessThan(before);
            assertThat(readable(store, number - 20, number)).isGreaterThan(10);

            Files.delete(filler);
            number = write(store, number, 90);
            assertThat(store.room()).isEqualTo(9L << 20);
            assertThat(readable(store, number - 70, number)).isEqualTo(70);
        } finally {
            run("umount", small.toString());
        }
    }

    /** Disks with more room are given all there is to write. */
    @Test
    void roomThatComesBackIsSeenThoughNothingIsWritten() throws IOException, InterruptedException {
        Path small = mount("12m");
        Stores.open(folder, "9MiB").close();
        Path filler = small.resolve("filler");
        Files.write(filler, new byte[8 << 20]);
        try (BlockStore store = Stores.open(folder, "9MiB")) {
            assertThat(store.room()).isLessThan(9L << 20);

            Files.delete(filler);

            for (int i = 0; i < 100 && store.room() < 9L << 20; i++) {
                pause();
            }
            assertThat(store.room()).isEqualTo(9L << 20);
        } finally {
            run("umount", small.toString());
        }
    }

    @Test
    void diskWithoutRoomForAnythingIsReadAndTriedAgain() throws IOException, InterruptedException {
        Path small = mount("8m");
        try (BlockStore store = Stores.open(folder, "1GiB")) {
            write(store, 0, 5);
            Path filler = small.resolve("filler");
            Files.write(filler, new byte[(int) usable(small)]);
            for (int i = 5; i < 10; i++) {
                assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, i, 100_000)))
                        .isFalse();
            }
            assertThat(readable(store, 0, 5)).isEqualTo(5);

            Files.delete(filler);
            boolean stored = false;
            for (int i = 0; i < 150 && !stored; i++) {
                pause();
                stored = Stores.stored(Stores.write(store, Kind.BLOCK, 10, 1000));
            }
            assertThat(stored).isTrue();
            assertThat(readable(store, 0, 5)).isEqualTo(5);
        } finally {
            run("umount", small.toString());
        }
    }

    /** Writes so many records, some of which may be lost while room is made; the number behind the last. */
    private static int write(BlockStore store, int first, int count) {
        int lost = 0;
        for (int i = first; i < first + count; i++) {
            lost += Stores.stored(Stores.write(store, Kind.BLOCK, i, 100_000)) ? 0 : 1;
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headThatCouldNotBeTakenOutOfAFullDiskIsNotBelievedAfterAKill(boolean rememberedElsewhere)
            throws IOException, InterruptedException {
        Path small = mount("3m");
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            Stores.stored(Stores.write(store, Kind.HEAD, 1, 0));
            Path filler = small.resolve("filler");
            Files.write(filler, new byte[(int) usable(small)]);
            // The last page of the open segment has room still.
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 2, 100_000)))
                    .isFalse();

            assertThat(Stores.stored(Stores.write(store, Kind.TOMBSTONE, 1, 0))).isFalse();
            assertThat(store.find(Stores.key(store, 1))).isNull();

            Path killed = folder.resolve("killed");
            if (!rememberedElsewhere) {
                // The marker comes a little later: room has to be made for it.
                for (int i = 0; i < 50 && usable(small) == 0; i++) {
                    pause();
                }
            }
            Files.delete(filler);
            Copied.folder(small, killed.resolve("disk-0"));
            if (rememberedElsewhere) {
                Copied.folder(folder.resolve("data"), killed.resolve("data"));
            }
            assertNotBelieved(killed);
        } finally {
            run("umount", small.toString());
        }
    }

    private static void assertNotBelieved(Path folder) throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB");
                StoredBlock record = store.find(Stores.key(store, 1))) {
            StoredBlock.Front front = record == null ? null : record.readFront();
            assertThat(front == null || front.doubtful()).isTrue();
        }
    }

    @Test
    void writerOutlivesWhateverGoesWrongAndTellsEverybody() throws IOException {
        CacheRecorder throwing = new CacheRecorder() {
            @Override
            public void diskError() {
                throw new OutOfMemoryError("of a test");
            }
        };
        try (BlockStore store = Stores.openUnknown(folder, throwing, "16MiB")) {
            store.recover();
            Path disk = folder.resolve("disk-0");
            Path away = folder.resolve("away");
            Files.move(disk, away);

            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1, 1000))).isFalse();
            assertThat(Stores.stored(Stores.write(store, Kind.OBJECT, 2, 1000))).isFalse();

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

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
