package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens to the files while nobody looks: what is read is right, or it is not there. */
class DamageTest {
    private static final int[] SIZES = {0, 1, 100, 4096, 65_536, 70_000, 1 << 20};

    @TempDir
    Path folder;

    private Path segment;
    private byte[] whole;
    private List<SegmentFooterEntry> lines;

    @BeforeEach
    void write() throws Exception {
        try (BlockStore store = open()) {
            store.disks().recover();
            CountDownLatch written = new CountDownLatch(SIZES.length);
            for (int i = 0; i < SIZES.length; i++) {
                store.write(draft(store, i), stored -> written.countDown());
            }
            assertThat(written.await(60, TimeUnit.SECONDS)).isTrue();
        }
        try (Stream<Path> files = Files.list(folder.resolve("disk"))) {
            segment = files.filter(file -> file.toString().endsWith(".seg"))
                    .findFirst()
                    .orElseThrow();
        }
        whole = Files.readAllBytes(segment);
        try (FileChannel file = FileChannel.open(segment)) {
            lines = SegmentFooter.read(file).orElseThrow().entries();
        }
        assertThat(found()).isEqualTo(SIZES.length);
    }

    @Test
    void aFlippedByteAnywhereIsAMissOrNothing() throws IOException {
        Random random = new Random(1);
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < 700; i += 7) {
            places.add(i); // headers of the small records
        }
        for (int i = 1; i < 600; i += 7) {
            places.add(whole.length - i); // footer
        }
        for (int i = 0; i < 50; i++) {
            places.add(random.nextInt(whole.length));
        }
        for (int place : places) {
            byte[] damaged = whole.clone();
            damaged[place] ^= (byte) (1 << random.nextInt(8));
            Files.write(segment, damaged);
            if (place < Segment.HEADER) {
                assertThat(found()).as("with byte %d flipped", place).isZero();
            } else {
                int lost = place < behindRecords() ? 1 : 0;
                assertThat(found()).as("with byte %d flipped", place).isBetween(SIZES.length - lost, SIZES.length);
            }
        }
    }

    @Test
    void readsTruncatedFilesUpToTheirEnd() throws IOException {
        Random random = new Random(2);
        for (int i = 0; i < 60; i++) {
            int length = i < 20 ? i * 64 : random.nextInt(whole.length);
            Files.write(segment, java.util.Arrays.copyOf(whole, length));
            long before = lines.stream()
                    .filter(line -> line.start() + line.recordBytes() <= length)
                    .count();
            assertThat(found()).as("cut at %d", length).isEqualTo((int) before);
        }
    }

    @Test
    void recordCopiedToAnotherPlaceIsRefused() throws IOException {
        // The first records once more, over the middle of a large one: each of them checks by itself.
        byte[] damaged = whole.clone();
        int at = (int) RecordHeader.roundUp(whole.length / 3, 64);
        System.arraycopy(whole, 64, damaged, at, 4096);
        Files.write(segment, damaged);

        long hit = lines.stream()
                .filter(line -> line.start() < at + 4096 && line.start() + line.recordBytes() > at)
                .count();
        assertThat(found()).isEqualTo((int) (SIZES.length - hit)).isPositive();
    }

    @Test
    void detectsSwappedFiles() throws Exception {
        Path other = folder.resolve("other");
        List<Path> files = severalSegments(other);
        Path aside = folder.resolve("aside");
        Files.move(files.get(0), aside);
        Files.move(files.get(1), files.get(0));
        Files.move(aside, files.get(1));

        try (BlockStore store = Stores.open(other, "16MiB")) {
            int found = 0;
            for (int i = 0; i < 40; i++) {
                found += Stores.reads(store, i) ? 1 : 0;
            }
            assertThat(found).isBetween(1, 39);
        }
    }

    private static List<Path> severalSegments(Path folder) throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            for (int i = 0; i < 40; i++) {
                Stores.stored(Stores.write(store, i, 100_000));
            }
        }
        List<Path> files = Stores.segments(folder.resolve("disk-0"));
        assertThat(files).hasSizeGreaterThan(2);
        return files;
    }

    private long behindRecords() {
        SegmentFooterEntry last = lines.get(lines.size() - 1);
        return last.start() + last.recordBytes();
    }

    /** How many of the records can be read; each of them must be right. */
    private int found() throws IOException {
        int found = 0;
        try (BlockStore store = open()) {
            store.disks().recover();
            for (int i = 0; i < SIZES.length; i++) {
                try (StoredBlock record = store.find(key(store, i))) {
                    if (record == null || !record.verify()) {
                        continue;
                    }
                    ByteBuf body = record.read(0, record.bodyBytes());
                    if (body != null) {
                        byte[] bytes = new byte[body.readableBytes()];
                        body.readBytes(bytes);
                        body.release();
                        assertThat(bytes)
                                .isEqualTo(GeneratedBytes.of("record-" + i).first(SIZES[i]));
                        found++;
                    }
                }
            }
        }
        return found;
    }

    private BlockStore open() throws IOException {
        CacheSettings settings = CacheSettingsFixture.of(
                DataSize.parse("1MiB"),
                DataSize.parse("16MiB"),
                DataSize.parse("4MiB"),
                List.of(new DiskSettings(folder.resolve("disk"), DataSize.parse("64MiB"))));
        return BlockStore.open(
                settings,
                folder.resolve("data"),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                CacheEventListener.NONE);
    }

    private static Fingerprint key(BlockStore store, int number) {
        return store.hash().of(Fingerprint.NONE, number);
    }

    private static BlockToWrite draft(BlockStore store, int number) {
        byte[] bytes = GeneratedBytes.of("record-" + number).first(SIZES[number]);
        List<ByteBuf> pages = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += BlockPageLayout.SIZE) {
            pages.add(Unpooled.wrappedBuffer(bytes, at, Math.min(BlockPageLayout.SIZE, bytes.length - at)));
        }
        return new BlockToWrite(key(store, number), number, ByteBuffer.wrap(new byte[] {1, 2, 3}), pages);
    }
}
