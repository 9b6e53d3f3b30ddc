package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.DiskState.Condition;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What was taken out before it was known where it lies stays so when the disk goes that says so. */
@ExtendWith(LeakGuard.class)
@Timeout(60)
class HiddenHeadsTest {
    private static final int HEADS = 40;

    @TempDir
    Path temp;

    private Path folder;

    @BeforeEach
    void fillOneDisk() throws IOException {
        folder = temp.resolve("store");
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            for (int i = 0; i < HEADS; i++) {
                assertThat(Stores.stored(Stores.write(store, Kind.HEAD, i, 0))).isTrue();
            }
        }
    }

    @Test
    void headsAreAskedForWhenTheDiskThatHidThemHasNoPartAnyMore() throws IOException {
        try (RecordStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            takeAllOut(store);
            store.recover();
            for (int i = 0; i < HEADS; i++) {
                assertThat(store.find(Stores.key(store, i))).isNull();
            }
        }
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            assertThat(doubtful(store)).isPositive();
        }
    }

    @Test
    void headsAreAskedForWhenTheRunThatHidThemEndedBeforeTheyWereKnown() throws IOException {
        try (RecordStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            takeAllOut(store);
        }
        assertThatHiddenHeadsAreDoubtful();
    }

    @Test
    void headsAreAskedForWhenTheRunThatHidThemWasKilledBeforeTheyWereKnown() throws IOException {
        hideAndKill();

        assertThatHiddenHeadsAreDoubtful();
    }

    @Test
    void headsAreAskedForThoughSeveralRunsEndedBeforeTheyWereKnown() throws IOException {
        hideAndKill();
        Stores.openUnknown(folder, "16MiB", "16MiB").close();

        assertThatHiddenHeadsAreDoubtful();
        assertThatHiddenHeadsAreDoubtful();
    }

    @Test
    void headsAreAskedForThoughTheRunThatCameToKnowThemWasKilledAtThatMoment() throws IOException {
        hideAndKill();
        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            assertThat(store.isRecovered()).isTrue();
            Damage.keepAsItIs(folder, temp.resolve("killed"));
        }
        Damage.bringBack(temp.resolve("killed"), folder);

        assertThatHiddenHeadsAreDoubtful();
    }

    @Test
    void headsAreAskedForWhenAnEmptyDiskIsInThePlaceOfTheOneThatHidThem() throws IOException {
        hideAndKill();
        Damage.delete(folder.resolve("disk-1"));
        forget("disk-1");

        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            assertThat(doubtful(store)).isPositive();
        }
    }

    @Test
    void headsAreNotAskedForWhenAllDisksAreThereAgain() throws IOException {
        hideAndKill();

        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            assertThat(trusted(store)).isZero();
        }
    }

    @Test
    void headsAreNotAskedForWhenARunThatHidNothingEndedEarlyAndAllDisksAreThereAgain() throws IOException {
        Stores.openUnknown(folder, "16MiB", "16MiB").close();

        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            assertThat(trusted(store)).isEqualTo(HEADS);
        }
    }

    @Test
    void headsAreNotAskedForWhenADiskGoesBehindARunThatKnewAll() throws IOException {
        Stores.open(folder, "16MiB", "16MiB").close();

        try (RecordStore store = Stores.open(folder, "16MiB")) {
            assertThat(trusted(store)).isEqualTo(HEADS);
        }
    }

    @Test
    void aFileThatDoesNotSayWhichDisksWereBeingReadIsOfARunThatKnewAll() throws IOException {
        Stores.openUnknown(folder, "16MiB", "16MiB").close();
        forget("recovering");

        try (RecordStore store = Stores.open(folder, "16MiB")) {
            assertThat(trusted(store)).isEqualTo(HEADS);
        }
    }

    @Test
    void headsAreAskedForWhenTheDiskThatHidThemIsLostBeforeTheyAreKnown() throws Exception {
        try (RecordStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            takeAllOut(store);
            Files.move(folder.resolve("disk-1").resolve(DiskMarker.NAME), folder.resolve("marker"));
            while (store.states().get(1).condition() != Condition.LOST) {
                Thread.sleep(50);
            }
            Thread.sleep(500);

            store.recover();

            assertThat(doubtful(store)).isPositive();
        }
    }

    @Test
    void headsAreAskedForWhoeverHasThemWhenTheyCouldNotBeHiddenBeforeTheyWereKnown() throws IOException {
        Path disk = folder.resolve("disk-1");
        Path away = folder.resolve("away");
        try (RecordStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            Files.move(disk, away);
            takeAllOut(store);
            Files.move(away, disk);
            store.recover();
        }
        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            assertThat(trusted(store)).isZero();
        }
    }

    private void hideAndKill() throws IOException {
        try (RecordStore store = Stores.openUnknown(folder, "16MiB", "16MiB")) {
            takeAllOut(store);
            Damage.keepAsItIs(folder, temp.resolve("killed"));
        }
        Damage.bringBack(temp.resolve("killed"), folder);
    }

    /** Without the second disk. */
    private void assertThatHiddenHeadsAreDoubtful() throws IOException {
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            assertThat(doubtful(store)).isPositive();
        }
    }

    /** Takes the lines of a name out of what is remembered beside the disks. */
    private void forget(String name) throws IOException {
        Path known = folder.resolve("data").resolve(KnownDisks.NAME);
        List<String> lines = Files.readAllLines(known);
        assertThat(lines).anyMatch(line -> line.contains(name));
        Files.write(known, lines.stream().filter(line -> !line.contains(name)).toList());
    }

    private static int trusted(RecordStore store) throws IOException {
        int trusted = 0;
        for (int i = 0; i < HEADS; i++) {
            try (StoredRecord record = store.find(Stores.key(store, i))) {
                trusted += record != null
                                && !Objects.requireNonNull(record.readFront()).doubtful()
                        ? 1
                        : 0;
            }
        }
        return trusted;
    }

    private static void takeAllOut(RecordStore store) {
        for (int i = 0; i < HEADS; i++) {
            boolean unused = Stores.stored(Stores.write(store, Kind.TOMBSTONE, i, 0));
        }
    }

    /** How many are found, all of which must be doubtful. */
    private static int doubtful(RecordStore store) throws IOException {
        int found = 0;
        for (int i = 0; i < HEADS; i++) {
            try (StoredRecord record = store.find(Stores.key(store, i))) {
                if (record != null) {
                    found++;
                    assertThat(Objects.requireNonNull(record.readFront()).doubtful())
                            .as("head %d", i)
                            .isTrue();
                }
            }
        }
        return found;
    }
}
