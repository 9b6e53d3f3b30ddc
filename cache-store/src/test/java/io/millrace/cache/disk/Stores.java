package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Stores of tests, and records whose bytes follow from their numbers. */
public final class Stores {
    private Stores() {}

    /** A recovered store with segments of at least 1 MiB, on disks of these sizes. */
    static BlockStore open(Path folder, String... sizes) throws IOException {
        BlockStore store = openUnknown(folder, sizes);
        store.disks().recover();
        return store;
    }

    /** One that has not read yet what it has. */
    static BlockStore openUnknown(Path folder, String... sizes) throws IOException {
        return openUnknown(folder, CacheEventListener.NONE, sizes);
    }

    /** One that tells a recorder. */
    static BlockStore openUnknown(Path folder, CacheEventListener recorder, String... sizes) throws IOException {
        List<DiskSettings> disks = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            disks.add(new DiskSettings(folder.resolve("disk-" + i), DataSize.parse(sizes[i])));
        }
        return openUnknown(folder, recorder, disks);
    }

    /** A recovered one without any disk. */
    public static BlockStore withoutDisks(Path folder) throws IOException {
        return open(folder);
    }

    /** A recovered one with a disk of 16 MiB in each of these folders. */
    static BlockStore openAt(Path folder, Path... disks) throws IOException {
        List<DiskSettings> settings = Stream.of(disks)
                .map(disk -> new DiskSettings(disk, DataSize.parse("16MiB")))
                .toList();
        BlockStore store = openUnknown(folder, CacheEventListener.NONE, settings);
        store.disks().recover();
        return store;
    }

    private static BlockStore openUnknown(Path folder, CacheEventListener recorder, List<DiskSettings> disks)
            throws IOException {
        return BlockStore.open(
                CacheSettingsFixture.of(DataSize.parse("4KiB"), DataSize.parse("1MiB"), DataSize.parse("4MiB"), disks),
                folder.resolve("data"),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                recorder);
    }

    public static Fingerprint key(BlockStore store, int number) {
        return store.hash().of(Fingerprint.NONE, number);
    }

    public static CompletableFuture<Boolean> write(BlockStore store, int number, int bytes) {
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        byte[] content = GeneratedBytes.of("record-" + number).first(bytes);
        List<ByteBuf> pages = new ArrayList<>();
        for (int at = 0; at < bytes; at += BlockPageLayout.SIZE) {
            pages.add(Unpooled.wrappedBuffer(content, at, Math.min(BlockPageLayout.SIZE, bytes - at)));
        }
        store.write(
                new BlockToWrite(key(store, number), number, ByteBuffer.wrap(new byte[] {1, 2, 3}), pages),
                outcome::complete);
        return outcome;
    }

    public static boolean stored(CompletableFuture<Boolean> outcome) {
        return outcome.orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Whether a record is there; if it is, its bytes must be right. */
    public static boolean reads(BlockStore store, Fingerprint key, int number) throws IOException {
        try (StoredBlock record = store.find(key)) {
            if (record == null || !record.verify()) {
                return false;
            }
            ByteBuf body = record.read(0, record.bodyBytes());
            assertThat(body).isNotNull();
            byte[] bytes = new byte[body.readableBytes()];
            body.readBytes(bytes).release();
            assertThat(bytes).isEqualTo(GeneratedBytes.of("record-" + number).first(bytes.length));
            return true;
        }
    }

    static boolean reads(BlockStore store, int number) throws IOException {
        return reads(store, key(store, number), number);
    }

    static List<Path> segments(Path disk) throws IOException {
        try (Stream<Path> files = Files.list(disk)) {
            return files.filter(file -> file.toString().endsWith(Segment.SUFFIX))
                    .sorted()
                    .toList();
        }
    }
}
