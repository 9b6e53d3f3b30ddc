package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.IndexEntry;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system may lie about its room: what was being copied when it turned out to be full stays where it was. */
class SegmentLogWriterTest {
    private static final long SEGMENT = 1 << 20;
    private static final int BODY = 60_000;

    @TempDir
    Path folder;

    private final SharedDiskComponents parts = TestLog.parts();
    private Path disk;
    private SealedSegments sealed;
    private SegmentLogWriter log;

    @BeforeEach
    void create() throws IOException, InterruptedException {
        disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                mount("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk.toString()), "needs the right to mount");
        Superblock superblock = Superblock.fresh(UUID.randomUUID(), FingerprintHash.random());
        superblock.write(disk);
        DiskSpace room = new DiskSpace(disk, 4 * SEGMENT, size -> SEGMENT, 0.5, () -> 1000 * SEGMENT);
        sealed = parts.sealedSegments(room);
        sealed.recovered();
        DiskReadThreads reads = Runnable::run;
        SegmentFiles files = new SegmentFiles(disk, superblock.disk(), reads, room, parts.segments());
        WriteBudget unlimited = new WriteBudget(Optional.empty(), System::nanoTime);
        log = TestLog.writer(files, room, unlimited, sealed, reads, parts);
    }

    @AfterEach
    void close() throws IOException, InterruptedException {
        log.end();
        boolean unusedToo = sealed.release();
        boolean unused = mount("umount", disk.toString());
    }

    @Test
    void indexIsRightAfterAFailedCopy() throws IOException {
        int number = fillUpToTheNextMove();
        Path filler = disk.resolve("filler");
        Files.write(filler, new byte[(int) (Files.getFileStore(disk).getUsableSpace() - 24 * 1024)]);
        int lost = number++;
        assertThatThrownBy(() -> write(lost)).isInstanceOf(IOException.class);
        log.end();
        Files.delete(filler);

        for (int i = 0; i < 5; i++) {
            assertThat(isRight(i)).as("what could not be moved, %d", i).isTrue();
        }
        for (int i = 0; i < 8; i++) {
            write(number);
            assertThat(isRight(number++)).isTrue();
        }
    }

    /** Writes, and uses what was written first, until the next record needs a segment more than there may be. */
    private int fillUpToTheNextMove() throws IOException {
        int number = 0;
        while (parts.segments().lastNumber() < 4 || lastHasRoom()) {
            write(number++);
        }
        for (int i = 0; i < 5; i++) {
            parts.policy().used(key(i));
        }
        return number;
    }

    private boolean lastHasRoom() throws IOException {
        List<Path> segments = Stores.segments(disk);
        return Files.size(segments.get(segments.size() - 1)) + BODY + 16 * 1024 <= SEGMENT;
    }

    private void write(int number) throws IOException {
        log.append(
                new BlockToWrite(
                        key(number), 0, ByteBuffer.allocate(3), List.of(Unpooled.wrappedBuffer(content(number)))),
                stored -> {});
        log.flush();
    }

    private boolean isRight(int number) throws IOException {
        IndexEntry entry = entry(number);
        Segment segment = Objects.requireNonNull(parts.segments().get(entry.segment()));
        assertThat(segment.acquire()).isTrue();
        BlockReadTracker reads = new BlockReadTracker(
                parts.index(), parts.policy(), parts.shadowCaches(), parts.pageCache(), parts.recorder());
        try (StoredBlock record = new StoredBlock(key(number), entry, segment, reads)) {
            return record.verify();
        }
    }

    private IndexEntry entry(int number) {
        return Objects.requireNonNull(parts.index().find(key(number)));
    }

    private static Fingerprint key(int number) {
        return new Fingerprint(1, number);
    }

    private static byte[] content(int number) {
        byte[] bytes = new byte[BODY];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    private static boolean mount(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }
}
