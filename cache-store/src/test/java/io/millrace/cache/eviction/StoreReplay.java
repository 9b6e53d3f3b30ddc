package io.millrace.cache.eviction;

import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.BlockToWrite;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Plays traces to a store on a disk and to the simulator, and prints what came of both: a program. Things are blocks of
 * 4 KiB.
 *
 * <p>Its argument is a folder on the disk; what it makes there it removes.
 */
final class StoreReplay implements Contender, AutoCloseable {
    private static final int BODY = 4096;

    /** Of a block on the disk, with what stands before it, and its line in the footer. */
    private static final int RECORD = BODY + 192 + 64;

    private final Path folder;
    private final BlockStore store;
    private final WrittenBytes written = new WrittenBytes();
    private final ByteBuf body = Unpooled.directBuffer(BODY).writeZero(BODY);

    private StoreReplay(Path folder, long bytes) throws IOException {
        this.folder = folder;
        CacheSettings settings = settings(folder, bytes);
        store = BlockStore.open(
                settings,
                folder.resolve("data"),
                AdmissionAndEvictionPolicy.frequency(settings.frequencyMemory()),
                written);
        store.disks().recover();
    }

    private static CacheSettings settings(Path folder, long bytes) {
        return CacheSettingsFixture.of(
                new DataSize(BODY),
                DataSize.parse("1MiB"),
                DataSize.parse("64MiB"),
                List.of(new DiskSettings(folder.resolve("disk"), new DataSize(bytes))));
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        System.out.println("| trace | reads | simulated: hits · written | store: hits · written | seconds"
                + " |\n|---|---|---|---|---|");
        for (int percent : new int[] {25, 50, 75}) {
            replay(folder, Trace.epochs(40_000, 25, 1), 400 * percent);
        }
        replay(folder, Trace.zipf(1.0, 200_000, 1_000_000, 2), 20_000);
        replay(folder, Trace.scans(0.9, 100_000, 100_000, 50_000, 1_000_000, 3), 10_000);
        replay(folder, Trace.mixed(0.9, 100_000, 40_000, 1_000_000, 4), 20_000);
        replay(folder, Trace.changing(0.9, 100_000, 200_000, 30_000, 4, 5), 10_000);
    }

    private static void replay(Path folder, Trace trace, int capacity) throws IOException {
        long bytes = (long) capacity * RECORD;
        int segments = (int) (bytes / settings(folder, bytes).segmentBytes(bytes));
        Judged.Result simulated = Judged.play(
                trace,
                "simulated",
                new LogModel(
                        AdmissionAndEvictionPolicy.frequency(
                                settings(folder, bytes).frequencyMemory()),
                        capacity,
                        segments,
                        trace.things()));
        long began = System.nanoTime();
        Judged.Result real;
        try (StoreReplay store = new StoreReplay(Files.createTempDirectory(folder, "replay"), bytes)) {
            real = Judged.play(trace, "store", store);
        }
        System.out.printf(
                Locale.ROOT,
                "| %s, cache %,d | %,d | %.1f · %.1f | %.1f · %.1f | %d |%n",
                trace.name(),
                capacity,
                trace.length(),
                100 * simulated.hits(),
                100 * simulated.written(),
                100 * real.hits(),
                100 * real.written(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
    }

    @Override
    public boolean read(int thing) {
        Fingerprint key = store.hash().of(Fingerprint.NONE, thing);
        try (StoredBlock record = store.find(key)) {
            if (record != null) {
                record.used();
                return readWhole(record);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        store.recordMiss(key, BODY);
        BlockToWrite draft = new BlockToWrite(key, 0, ByteBuffer.allocate(16), List.of(body.duplicate()));
        if (store.whyNotAdmitted(key, draft) == null) {
            CompletableFuture<Boolean> outcome = new CompletableFuture<>();
            store.write(draft, outcome::complete);
            outcome.join();
        }
        return false;
    }

    private static boolean readWhole(StoredBlock record) throws IOException {
        ByteBuf read = record.read(0, record.bodyBytes());
        if (read == null) {
            return false;
        }
        read.release();
        return true;
    }

    /** Things that were written, moved ones included. */
    @Override
    public long written() {
        return written.bytes() / BODY;
    }

    @Override
    public void close() throws IOException {
        store.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
