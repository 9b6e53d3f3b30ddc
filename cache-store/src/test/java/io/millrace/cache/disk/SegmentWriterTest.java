package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.residency.GroupResidencyCounter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behind a write that failed a record would lie beside the place the index has for it. */
class SegmentWriterTest {
    @TempDir
    Path folder;

    private Segment segment;
    private SegmentWriter writer;

    @BeforeEach
    void create() throws IOException {
        createIn(folder);
    }

    private void createIn(Path disk) throws IOException {
        segment = Segment.create(disk, 1, UUID.randomUUID(), Runnable::run, () -> {});
        writer = new SegmentWriter(
                segment,
                1 << 20,
                new WriteBudget(Optional.empty(), System::nanoTime),
                GroupResidencyCounter.none(FingerprintHash.random()));
    }

    @Test
    void segmentTakesNothingAfterAWriteThatFailed() throws IOException {
        writer.add(draft(5));
        segment.writing().close();
        assertThatThrownBy(writer::flush).isInstanceOf(IOException.class);

        assertThat(writer.fits(1000)).isFalse();
        assertThatThrownBy(() -> writer.add(draft(6)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has failed");
        assertThatThrownBy(writer::flush).isInstanceOf(IOException.class).hasMessageContaining("has failed");
    }

    /** Event loops read it: sendfile asks for the size of the file wherever a client takes nothing more. */
    @Test
    void readsDoNotWaitForAHangingWrite() throws Exception {
        try (Standstill.Disk disk = new Standstill.Disk(folder.resolve("image"), folder.resolve("disk"))) {
            createIn(folder.resolve("disk"));
            writer.add(draft(5));
            writer.flush();
            writer.add(draft(6));
            CompletableFuture<Void> hanging = new CompletableFuture<>();
            try (Standstill frozen = disk.freeze()) {
                Thread thread = new Thread(() -> {
                    assertThatCode(writer::flush).doesNotThrowAnyException();
                    hanging.complete(null);
                });
                thread.start();
                Standstill.awaitHanging(thread);
                assertThat(hanging).isNotDone();

                assertThat(CompletableFuture.supplyAsync(this::size)).succeedsWithin(Duration.ofSeconds(60));
            }
            assertThat(hanging).succeedsWithin(Duration.ofSeconds(60));
            segment.release();
        }
    }

    private long size() {
        try {
            return segment.file().size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BlockToWrite draft(int number) {
        return new BlockToWrite(new Fingerprint(1, number), number, ByteBuffer.allocate(3), List.of());
    }
}
