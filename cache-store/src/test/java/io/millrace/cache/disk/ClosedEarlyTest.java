package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.millrace.backend.testkit.BufferLeakExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A store that is closed before it has read what there is leaves it for the next start, which finds all of it. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
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
        try (BlockStore store = open()) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.stored(Stores.write(store, i, BYTES))).isTrue();
            }
            Damage.keepAsItIs(folder, temp.resolve("killed"));
        }
    }

    @Test
    void blocksSurviveAStopBeforeRecovery() throws IOException {
        openUnknown().close();

        assertThatAllIsThere();
    }

    @Test
    void killedBlocksSurviveAStopBeforeRecovery() throws IOException {
        bringBackWhatWasKilled();
        openUnknown().close();

        assertThatAllIsThere();
    }

    @Test
    void recoveryOfAStoreThatIsClosedReadsNothing() throws IOException {
        BlockStore store = openUnknown();
        store.close();

        store.disks().recover();

        assertThat(store.disks().isRecovered()).isFalse();
        assertThat(store.records()).isZero();
        assertThatAllIsThere();
    }

    @Test
    void recoveryEndsWithItsStoreWhereverItIs() throws Exception {
        int notRecovered = 0;
        // More rounds if each recovery was faster than its close so far.
        for (int i = 0; i < ROUNDS || notRecovered == 0; i++) {
            bringBackWhatWasKilled();
            BlockStore store = openUnknown();
            CompletableFuture<Void> recovery = CompletableFuture.runAsync(store.disks()::recover);
            // A recovery lasts a millisecond and says nothing until it ends: only time hits another moment of it each
            // round.
            TimeUnit.MICROSECONDS.sleep(50L * (i % ROUNDS));
            assertTimeoutPreemptively(Duration.ofSeconds(60), store::close);

            assertThat(recovery).succeedsWithin(60, TimeUnit.SECONDS);
            notRecovered += store.disks().isRecovered() ? 0 : 1;
            assertThatAllIsThere();
        }
        assertThat(notRecovered).isPositive();
    }

    @Test
    void storingBeforeRecoveryHidesNoBlocks() throws Exception {
        bringBackWhatWasKilled();
        try (BlockStore store = openUnknown()) {
            assertThat(Stores.stored(Stores.write(store, RECORDS, BYTES))).isTrue();
        }

        assertThatAllIsThere();
    }

    private void bringBackWhatWasKilled() throws IOException {
        Damage.delete(folder);
        Damage.keepAsItIs(temp.resolve("killed"), folder);
    }

    private BlockStore open() throws IOException {
        return Stores.open(folder, "64MiB");
    }

    private BlockStore openUnknown() throws IOException {
        return Stores.openUnknown(folder, "64MiB");
    }

    private void assertThatAllIsThere() throws IOException {
        try (BlockStore store = open()) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.reads(store, i)).as("record %d", i).isTrue();
            }
        }
    }
}
