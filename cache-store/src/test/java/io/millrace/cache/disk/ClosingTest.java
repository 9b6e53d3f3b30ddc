package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A store ends within some seconds, whatever its disks do; those that do nothing wrong are closed. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class ClosingTest {
    /** A write that hangs has 5 s, reads and last words a little; but who waits for the disk waits for ever. */
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void closeAbandonsADiskWithAHangingWrite() throws Exception {
        try (Standstill.Disk disk = new Standstill.Disk(folder.resolve("image"), folder.resolve("disk-0"))) {
            BlockStore store = Stores.open(folder, "16MiB", "16MiB");
            try (Standstill frozen = disk.freeze()) {
                List<CompletableFuture<Boolean>> writes = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    writes.add(Stores.write(store, i, 1000));
                }

                assertTimeoutPreemptively(SOON, store::close);

                assertThat(store.disks().states().get(1).waiting()).isZero();
                assertThat(writes.stream().filter(CompletableFuture::isDone)).isNotEmpty();
            }
        }
    }

    @Test
    void reattachDoesNotWaitForAHangingDisk() throws Exception {
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (BlockStore store = Stores.open(folder, "16MiB", "16MiB")) {
            Files.move(disk, away);
            Polling.until("it is lost", () -> store.disks().states().get(0).condition() == DiskSnapshot.Condition.LOST);
            Files.move(away, disk);
            CompletableFuture<String> first = new CompletableFuture<>();
            try (Standstill hanging = Standstill.of(superblockOf("disk-0"))) {
                Thread thread = new Thread(() -> first.complete(failure(store)));
                thread.start();
                Standstill.awaitHanging(thread);

                CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> failure(store));

                assertThat(second.get(60, TimeUnit.SECONDS)).startsWith("a disk is being returned already");
                assertThat(first).isNotDone();
            }
            first.get(60, TimeUnit.SECONDS);
        }
    }

    private static String failure(BlockStore store) {
        try {
            store.disks().returnDisk(0);
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private Path superblockOf(String disk) {
        return DurableFiles.freshBeside(folder.resolve(disk).resolve(Superblock.NAME));
    }
}
