package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.CacheRecorder;
import io.millrace.cache.Copied;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            Path disk = folder.resolve("disk-0");
            Path away = folder.resolve("away");
            Files.move(disk, away);

            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1, 1000))).isFalse();
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 2, 1000))).isFalse();
            assertThat(store.used()).isZero();

            Files.move(away, disk);
            boolean stored = false;
            for (int i = 0; i < 150 && !stored; i++) {
                pause();
                stored = Stores.stored(Stores.write(store, Kind.BLOCK, 3, 1000));
            }
            assertThat(stored).isTrue();
            assertThat(Stores.reads(store, 3)).isTrue();
        }
    }

    @Test
    void headThatCouldNotBeTakenOutIsNotFoundAndIsDoubtfulLater() throws IOException {
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            Stores.stored(Stores.write(store, Kind.HEAD, 1, 0));
        }
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            assertThat(store.contains(Stores.key(store, 1))).isTrue();
            Files.move(disk, away);

            assertThat(Stores.stored(Stores.write(store, Kind.TOMBSTONE, 1, 0))).isFalse();

            assertThat(store.contains(Stores.key(store, 1))).isFalse();
            assertThat(Stores.reads(store, 1)).isFalse();
            Files.move(away, disk);
        }
        try (RecordStore store = Stores.open(folder, "16MiB");
                StoredRecord record = store.find(Stores.key(store, 1))) {
            assertThat(record).isNotNull();
            StoredRecord.Front front = record.readFront();
            assertThat(front).isNotNull();
            assertThat(front.doubtful()).isTrue();
        }
    }

    @Test
    void fullDiskIsReadAndStartsAgain() throws IOException, InterruptedException {
        Path small = Files.createDirectory(folder.resolve("disk-0"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small.toString()), "needs the right to mount");
        try {
            int stored;
            try (RecordStore store = Stores.open(folder, "16MiB")) {
                stored = fill(store);
                assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1000, 10)))
                        .isFalse();
            }
            try (RecordStore store = Stores.open(folder, "16MiB")) {
                int found = 0;
                for (int i = 0; i < stored; i++) {
                    found += Stores.reads(store, i) ? 1 : 0;
                }
                // The oldest of the segments may have made room for the marker.
                assertThat(found).isGreaterThanOrEqualTo(stored / 3);
            }
        } finally {
            run("umount", small.toString());
        }
    }

    @Test
    void recordsBehindAFailedMoveAreWhereTheIndexSays() throws IOException, InterruptedException {
        Path small = mount("6m");
        try (RecordStore store = Stores.open(folder, "4MiB")) {
            for (int i = 0; i < 5; i++) {
                Stores.stored(Stores.write(store, Kind.BLOCK, i, 60_000));
            }
            Path filler = small.resolve("filler");
            int number = fillUpToTheNextMove(store, small);
            Files.write(filler, new byte[(int) Math.max(0, usable(small) - 24 * 1024)]);
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, number++, 100_000)))
                    .isFalse();
            Files.delete(filler);

            for (int i = 0; i < 5; i++) {
                assertThat(Stores.reads(store, i))
                        .as("what could not be moved, %d", i)
                        .isTrue();
            }
            int stored = 0;
            for (int i = 0; i < 150 && stored < 8; i++) {
                number++;
                if (Stores.stored(Stores.write(store, Kind.BLOCK, number, 100_000))) {
                    stored++;
                    assertThat(Stores.reads(store, number)).isTrue();
                } else {
                    pause();
                }
            }
            assertThat(stored).isEqualTo(8);
        } finally {
            run("umount", small.toString());
        }
    }

    /** Writes and uses until the next record needs another segment, and room for it. */
    private static int fillUpToTheNextMove(RecordStore store, Path disk) throws IOException {
        int number = 100;
        while (true) {
            for (int i = 0; i < 5; i++) {
                try (StoredRecord record = store.find(Stores.key(store, i))) {
                    Objects.requireNonNull(record).used();
                }
            }
            List<Path> segments = Stores.segments(disk);
            long last = Files.size(segments.get(segments.size() - 1));
            if (segments.size() >= 4 && last + 110_000 + 8192 > 1_056_768) {
                return number;
            }
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, number++, 100_000)))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headThatCouldNotBeTakenOutOfAFullDiskIsNotBelievedAfterAKill(boolean rememberedElsewhere)
            throws IOException, InterruptedException {
        Path small = mount("3m");
        try (RecordStore store = Stores.open(folder, "16MiB")) {
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
        try (RecordStore store = Stores.open(folder, "16MiB");
                StoredRecord record = store.find(Stores.key(store, 1))) {
            StoredRecord.Front front = record == null ? null : record.readFront();
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
        try (RecordStore store = Stores.openUnknown(folder, throwing, "16MiB")) {
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

    /** Writes until nothing more is taken; how many were, all of which are read. */
    private static int fill(RecordStore store) throws IOException {
        List<CompletableFuture<Boolean>> outcomes = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            outcomes.add(Stores.write(store, Kind.BLOCK, i, 100_000));
            if (!Stores.stored(outcomes.get(i))) {
                break;
            }
        }
        int stored = outcomes.size() - 1;
        assertThat(stored).isBetween(10, 40);
        assertThat(Stores.stored(outcomes.get(stored))).isFalse();
        for (int i = 0; i < stored; i++) {
            assertThat(Stores.reads(store, i)).isTrue();
        }
        return stored;
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
