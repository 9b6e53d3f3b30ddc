package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.DiskState.Condition;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    Path folder;

    @BeforeEach
    void fillOneDisk() throws IOException {
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
