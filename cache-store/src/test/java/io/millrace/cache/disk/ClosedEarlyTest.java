package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
        try (BlockStore store = open()) {
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
        BlockStore store = openUnknown();
        store.close();

        store.recover();

        assertThat(store.isRecovered()).isFalse();
        assertThat(store.records()).isZero();
        assertThatAllIsThere();
    }

    @Test
    void recoveryEndsWithItsStoreWhereverItIs() throws Exception {
        int notRecovered = 0;
        for (int i = 0; i < ROUNDS; i++) {
            bringBackWhatWasKilled();
            BlockStore store = openUnknown();
            CompletableFuture<Void> recovery = CompletableFuture.runAsync(store::recover);
            TimeUnit.MICROSECONDS.sleep(200L * i);
            assertTimeoutPreemptively(Duration.ofSeconds(15), store::close);

            assertThat(recovery).succeedsWithin(15, TimeUnit.SECONDS);
            notRecovered += store.isRecovered() ? 0 : 1;
            assertThat(isClosedInOrder()).as("round %d", i).isTrue();
            assertThatAllIsThere();
        }
        assertThat(notRecovered).isPositive();
    }

    @Test
    void killedSegmentThatCouldNotBeEndedAndHasGoneSinceIsNoDamage() throws Exception {
        Path killedThen = temp.resolve("killed-then");
        try (BlockStore store = open()) {
            // More lines than the last page of the segment has room for.
            for (int i = 0; i < 100; i++) {
                assertThat(Stores.stored(Stores.write(store, Kind.HEAD, i, 0))).isTrue();
            }
            Damage.keepAsItIs(folder, killedThen);
        }
        Damage.delete(folder);
        Path disk = Files.createDirectories(folder.resolve("disk-0"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk.toString()), "needs the right to mount");
        try {
            Damage.keepAsItIs(killedThen, folder);
            long doubtBelow = marker().doubtBelow();
            List<Path> killed = Stores.segments(disk);
            try (BlockStore store = Stores.openUnknown(folder, "16MiB")) {
                Path filler = disk.resolve("filler");
                fillUp(filler);
                store.recover();
                Files.delete(filler);
                assertThat(hasFooter(killed.get(killed.size() - 1))).isFalse();
                for (int i = 0; i < 2 * RECORDS; i++) {
                    assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1000 + i, BYTES)))
                            .isTrue();
                }
                assertThat(killed).noneMatch(Files::exists);
            }
            assertThat(isClosedInOrder()).isTrue();
            assertThat(marker().doubtBelow()).isEqualTo(doubtBelow);
        } finally {
            run("umount", disk.toString());
        }
    }

    /** To the last byte. */
    private static void fillUp(Path filler) throws IOException {
        byte[] piece = new byte[4096];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(piece);
            }
        } catch (IOException full) {
            assertThat(Files.getFileStore(filler).getUsableSpace()).isZero();
        }
    }

    @Test
    void whatIsStoredBeforeAllIsKnownDoesNotMakeTheKilledSegmentADamagedOne() throws Exception {
        bringBackWhatWasKilled();
        try (BlockStore store = openUnknown()) {
            assertThat(Stores.stored(Stores.write(store, Kind.OBJECT, RECORDS, BYTES)))
                    .isTrue();
        }

        assertThat(isClosedInOrder()).isTrue();
        assertThatAllIsThere();
    }

    private void bringBackWhatWasKilled() throws IOException {
        Damage.delete(folder);
        Damage.keepAsItIs(temp.resolve("killed"), folder);
    }

    private static boolean hasFooter(Path segment) throws IOException {
        try (FileChannel file = FileChannel.open(segment)) {
            return Footer.read(file).isPresent();
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }

    private BlockStore open() throws IOException {
        return Stores.open(folder, "64MiB");
    }

    private BlockStore openUnknown() throws IOException {
        return Stores.openUnknown(folder, "64MiB");
    }

    private boolean isClosedInOrder() throws IOException {
        return marker().clean();
    }

    private DiskMarker marker() throws IOException {
        return DiskMarker.read(folder.resolve("disk-0")).orElseThrow();
    }

    private void assertThatAllIsThere() throws IOException {
        try (BlockStore store = open()) {
            for (int i = 0; i < RECORDS; i++) {
                assertThat(Stores.reads(store, i)).as("record %d", i).isTrue();
                assertThat(isDoubtful(store, i)).as("record %d", i).isFalse();
            }
        }
    }

    private static boolean isDoubtful(BlockStore store, int number) throws IOException {
        try (StoredBlock record = Objects.requireNonNull(store.find(Stores.key(store, number)))) {
            return Objects.requireNonNull(record.readFront()).doubtful();
        }
    }
}
