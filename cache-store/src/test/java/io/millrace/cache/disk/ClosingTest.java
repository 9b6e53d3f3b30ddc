package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.millrace.backend.testkit.LeakGuard;
import io.millrace.cache.DiskState;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A store ends within some seconds, whatever its disks do; those that do nothing wrong are closed in order. */
@ExtendWith(LeakGuard.class)
@Timeout(90)
class ClosingTest {
    /** A write that hangs has 5 s, reads and last words a little. */
    private static final Duration SOON = Duration.ofSeconds(15);

    @TempDir
    Path folder;

    @Test
    void diskThatBeginsToHangAtTheLastWordHoldsNobodyUp() throws Exception {
        BlockStore store = Stores.open(folder, "16MiB", "16MiB");
        try (Standstill marker = Standstill.of(markerOf("disk-0"))) {
            assertTimeoutPreemptively(SOON, store::close);

            assertThat(isClosedInOrder("disk-0")).isFalse();
            assertThat(isClosedInOrder("disk-1")).isTrue();
        }
    }

    @Test
    void diskWithAWriteThatHangsIsLeftAsItIs() throws Exception {
        try (Standstill.Disk disk = new Standstill.Disk(folder.resolve("image"), folder.resolve("disk-0"))) {
            BlockStore store = Stores.open(folder, "16MiB", "16MiB");
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1, 1000))).isTrue();
            CompletableFuture<Boolean> onIt;
            try (Standstill frozen = disk.freeze()) {
                onIt = Stores.write(store, Kind.HEAD, onFirst(store), 0);

                assertTimeoutPreemptively(SOON, store::close);

                assertThat(isClosedInOrder("disk-1")).isTrue();
            }
            assertThat(Stores.stored(onIt)).isTrue();
            assertThat(isClosedInOrder("disk-0"))
                    .as("nothing was left to be written")
                    .isFalse();
        }
    }

    @Test
    void diskThatIsFoundToHangAtTheEndIsLeftAsItIs() throws Exception {
        try (Standstill.Disk disk = new Standstill.Disk(folder.resolve("image"), folder.resolve("disk-0"))) {
            BlockStore store = Stores.open(folder, "16MiB", "16MiB");
            assertThat(Stores.stored(Stores.write(store, Kind.HEAD, onFirst(store), 0)))
                    .isTrue();
            try (Standstill frozen = disk.freeze()) {
                assertTimeoutPreemptively(SOON, store::close);

                assertThat(isClosedInOrder("disk-1")).isTrue();
            }
            assertThat(isClosedInOrder("disk-0")).isFalse();
        }
    }

    @Test
    void whoTakesAnotherDiskBackDoesNotWaitForOneThatHangs() throws Exception {
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (BlockStore store = Stores.open(folder, "16MiB", "16MiB")) {
            Files.move(disk, away);
            while (store.states().get(0).condition() != DiskState.Condition.LOST) {
                Thread.sleep(100);
            }
            Files.move(away, disk);
            CompletableFuture<String> first;
            try (Standstill marker = Standstill.of(markerOf("disk-0"))) {
                first = CompletableFuture.supplyAsync(() -> failure(store));
                Thread.sleep(2000);

                CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> failure(store));

                assertThat(second.get(10, TimeUnit.SECONDS)).startsWith("another disk is being taken back");
                assertThat(first).isNotDone();
            }
            first.get(30, TimeUnit.SECONDS);
        }
    }

    private static String failure(BlockStore store) {
        try {
            store.takeBack(0);
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** A key whose home is the first disk. */
    private static int onFirst(BlockStore store) {
        int number = 0;
        while (Long.remainderUnsigned(Stores.key(store, number).low(), 2) != 0) {
            number++;
        }
        return number;
    }

    private Path markerOf(String disk) {
        return ForcedFiles.freshBeside(folder.resolve(disk).resolve(DiskMarker.NAME));
    }

    private boolean isClosedInOrder(String disk) throws IOException {
        return DiskMarker.read(folder.resolve(disk)).orElseThrow().clean();
    }
}
