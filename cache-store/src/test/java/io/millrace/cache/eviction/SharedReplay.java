package io.millrace.cache.eviction;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.BlockToWrite;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
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
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Plays {@link SharedTrace} to a store on a disk, with blocks of 256 KiB in segments of 128 MiB as a cache of some size
 * has them: a program. Tells whether a bucket stays within its share, and whether the other hits as if it had the rest
 * for itself.
 *
 * <p>Its argument is a folder on the disk, which takes 2 GiB; what it makes there it removes.
 */
final class SharedReplay implements SharedTrace.Cache, AutoCloseable {
    private static final int BODY = 256 << 10;
    private static final int PAGE = 64 << 10;
    private static final long DISK = 2L << 30;
    private static final int CAPACITY = (int) (DISK / BODY);
    private static final int READS = 200_000;
    private static final Fingerprint[] VERSIONS = {new Fingerprint(1, 1), new Fingerprint(2, 2)};
    private static final byte[][] IDENTITIES = {identity(0), identity(1)};

    private final Path folder;
    private final BlockStore store;
    private final WrittenBytes written = new WrittenBytes();
    private final ByteBuf page = Unpooled.directBuffer(PAGE).writeZero(PAGE);

    private SharedReplay(Path folder, double share) throws IOException {
        this.folder = folder;
        CacheSettings settings = CacheSettingsFixture.of(
                new DataSize(BODY),
                DataSize.parse("64MiB"),
                DataSize.parse("64MiB"),
                List.of(new DiskSettings(folder.resolve("disk"), new DataSize(DISK))));
        AdmissionAndEvictionPolicy policy = AdmissionAndEvictionPolicy.frequency(32L * CAPACITY);
        store = BlockStore.open(settings, folder.resolve("data"), policy, hash -> groups(hash, policy, share), written);
        store.disks().recover();
    }

    private static GroupResidencyCounter groups(FingerprintHash hash, AdmissionAndEvictionPolicy policy, double share) {
        ResidencyGroup greedy = new ResidencyGroup(
                new ObjectPrefix("test", new BucketName("bucket"), "1/"),
                share < 1 ? Optional.of(new QuotaSize(100 * share, 0)) : Optional.empty());
        return new GroupResidencyCounter(List.of(greedy), hash, policy);
    }

    private static byte[] identity(int bucket) {
        ObjectKey key = new ObjectKey(bucket + "/object");
        return ObjectIdCodec.encode(ObjectId.current("test", new ObjectRef(new BucketName("bucket"), key)));
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        System.out.println(
                "\n| a bucket beside one of popular things, in a store | its share | it had at most | it hits | the"
                        + " other hits | alone in the rest | written | seconds |\n|---|---|---|---|---|---|---|---|");
        for (double skew : new double[] {1.1, 0}) {
            for (double share : new double[] {1, 0.25, 0.1}) {
                replay(folder, share, skew);
            }
        }
    }

    private static void replay(Path folder, double share, double skew) throws IOException {
        long began = System.nanoTime();
        SharedTrace.Outcome outcome;
        try (SharedReplay store = new SharedReplay(Files.createTempDirectory(folder, "replay"), share)) {
            outcome = SharedTrace.play(store, READS, skew);
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %.2f %% | %.1f | %.1f | %s | %.0f | %d |%n",
                SharedTrace.name(skew),
                share < 1 ? Math.round(100 * share) + " %" : "none",
                100.0 * outcome.most() / CAPACITY,
                100 * outcome.greedy(),
                100 * outcome.calm(),
                share < 1 ? "%.1f".formatted(100 * SharedTrace.calmAlone(CAPACITY, share, READS)) : "",
                100 * outcome.written(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
    }

    /** Bytes are not looked at: what is judged is what is there. */
    @Override
    public boolean read(boolean greedy, int thing) {
        int bucket = greedy ? 1 : 0;
        Fingerprint key = store.hash().of(VERSIONS[bucket], thing);
        try (StoredBlock record = store.find(key)) {
            if (record != null) {
                record.used();
                return true;
            }
        }
        store.recordMiss(key, BODY);
        BlockToWrite draft = new BlockToWrite(
                key, thing, ByteBuffer.wrap(IDENTITIES[bucket]), Collections.nCopies(BODY / PAGE, page.duplicate()));
        if (store.whyNotAdmitted(key, draft) == null) {
            CompletableFuture<Boolean> outcome = new CompletableFuture<>();
            store.write(draft, outcome::complete);
            outcome.join();
        }
        return false;
    }

    @Override
    public long greedyThings() {
        return store.group(0).bytes() / BODY;
    }

    @Override
    public long written() {
        return written.bytes() / BODY;
    }

    @Override
    public void close() throws IOException {
        store.close();
        page.release();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
