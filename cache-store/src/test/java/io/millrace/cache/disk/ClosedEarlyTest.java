package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A store that is closed before it has read what there is leaves it for the next start, which trusts it as this one would have. */
@ExtendWith(LeakGuard.class)
@Timeout(90)
class ClosedEarlyTest {
    private static final int RECORDS = 200;
    private static final int BYTES = 64 << 10;
    private static final int ROUNDS = 20;

    @TempDir
    Path temp;

    private Path folder;

    @BeforeEach
    void fill() throws IOException {
        folder = temp.resolve("store");
        try (RecordStore store = open()) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.stored(Stores.write(store, Kind.OBJECT, i, BYTES)))
                        .isTrue();
            }
            Damage.keepAsItIs(folder, temp.resolve("killed"));
        }
    }

    @Test
    void diskThatWasStoppedInOrderIsSoAgain() throws IOException {
        openUnknown().close();

        assertThat(isClosedInOrder()).isTrue();
        assertThatAllIsThere();
    }

    @Test
    void diskThatWasKilledIsEndedWithoutBeingRead() throws IOException {
        bringBackWhatWasKilled();
        assertThat(isClosedInOrder()).isFalse();

        openUnknown().close();

        assertThat(isClosedInOrder()).isTrue();
        assertThatAllIsThere();
    }

    @Test
    void recoveryOfAStoreThatIsClosedReadsNothing() throws IOException {
        RecordStore store = openUnknown();
        store.close();

        store.recover();

        assertThat(store.isRecovered()).isFalse();
        assertThat(store.records()).isZero();
        assertThatAllIsThere();
    }

    @Test
    void recoveryEndsWithItsStoreWhereverItIs() throws Exception {
        bringBackWhatWasKilled();
        int notRecovered = 0;
        for (int i = 0; i < ROUNDS; i++) {
            RecordStore store = openUnknown();
            CompletableFuture<Void> recovery = CompletableFuture.runAsync(store::recover);
            TimeUnit.MICROSECONDS.sleep(200L * i);
            assertTimeoutPreemptively(Duration.ofSeconds(15), store::close);

            assertThat(recovery).succeedsWithin(15, TimeUnit.SECONDS);
            notRecovered += store.isRecovered() ? 0 : 1;
        }
        assertThat(notRecovered).isPositive();
        assertThatAllIsThere();
    }

    @Test
    void whatIsStoredBeforeAllIsKnownDoesNotMakeTheKilledSegmentADamagedOne() throws Exception {
        bringBackWhatWasKilled();
        try (RecordStore store = openUnknown()) {
            assertThat(Stores.stored(Stores.write(store, Kind.OBJECT, RECORDS, BYTES)))
                    .isTrue();
        }

        assertThat(isClosedInOrder()).isTrue();
        assertThatAllIsThere();
    }

    private void bringBackWhatWasKilled() throws IOException {
        Damage.bringBack(temp.resolve("killed"), folder);
    }

    private RecordStore open() throws IOException {
        return Stores.open(folder, "64MiB");
    }

    private RecordStore openUnknown() throws IOException {
        return Stores.openUnknown(folder, "64MiB");
    }

    private boolean isClosedInOrder() throws IOException {
        return DiskMarker.read(folder.resolve("disk-0")).orElseThrow().clean();
    }

    private void assertThatAllIsThere() throws IOException {
        try (RecordStore store = open()) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.reads(store, i)).as("record %d", i).isTrue();
                assertThat(isDoubtful(store, i)).as("record %d", i).isFalse();
            }
        }
    }

    private static boolean isDoubtful(RecordStore store, int number) throws IOException {
        try (StoredRecord record = Objects.requireNonNull(store.find(Stores.key(store, number)))) {
            return Objects.requireNonNull(record.readFront()).doubtful();
        }
    }
}
