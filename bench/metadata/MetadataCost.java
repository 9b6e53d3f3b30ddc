package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.index.FingerprintHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;

/** What the metadata store costs: see bench/metadata.sh. */
final class MetadataCost {
    private static final int SAMPLE = 20_000;
    private static final int BELOW = 5_000;
    private static final BucketName BUCKET = new BucketName("training-data");
    private static final VersionFingerprints FINGERPRINTS = new VersionFingerprints(new FingerprintHash(1, 2));

    private final Path folder;
    private final int keys;
    private final long memory;
    private final Random random = new Random(5);

    private MetadataCost(Path folder, int keys, long memory) {
        this.folder = folder;
        this.keys = keys;
        this.memory = memory;
    }

    public static void main(String[] arguments) throws Exception {
        MetadataCost cost =
                new MetadataCost(Path.of(arguments[1]), Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]) << 20);
        switch (arguments[0]) {
            case "fill" -> cost.fill();
            case "read" -> cost.read();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private interface Operation {
        void run(int number) throws IOException;
    }

    private MetadataStore open(long run) throws IOException {
        return MetadataStore.open(
                folder.resolve("store"),
                folder.resolve("witness"),
                memory,
                new MetadataValueCodec(FINGERPRINTS),
                new StaleEpoch(StaleEpoch.first(run), 0, stale -> {}),
                run);
    }

    /** Ends without closing the store, as a kill does. */
    private void fill() throws IOException {
        MetadataStore store = open(1);
        long[] nanos = new long[keys];
        for (int i = 0; i < keys; i++) {
            ObjectMetadata metadata = metadata(i);
            long began = System.nanoTime();
            boolean stored = false;
            while (!stored) {
                try {
                    store.put(metadata, () -> true);
                    stored = true;
                } catch (CompactionBacklogException e) {
                    Thread.onSpinWait();
                }
            }
            nanos[i] = System.nanoTime() - began;
        }
        report("put", nanos);
        System.out.printf(
                "%,d entries, %,d MiB on disk, %.0f bytes an entry, %,d MiB of native memory%n",
                store.entries(), store.diskBytes() >> 20, (double) store.diskBytes() / keys, store.memoryBytes() >> 20);
        Runtime.getRuntime().halt(0);
    }

    private void read() throws Exception {
        long began = System.nanoTime();
        MetadataStore store = open(2);
        System.out.printf("open after a kill: %.2f s%n", (System.nanoTime() - began) / 1e9);

        dropPageCache();
        long before = deviceReads();
        measure("get, nothing in memory", 2_000, i -> found(store, random.nextInt(keys)));
        long reads = deviceReads() - before;
        if (before > 0) {
            System.out.printf("  device reads a get: %.2f%n", reads / 2_000.0);
        }
        measure("get, warming", SAMPLE, i -> found(store, random.nextInt(keys)));
        measure("get, again", SAMPLE, i -> found(store, random.nextInt(keys)));
        measure("get of an absent key", SAMPLE, i -> absent(store, keys + random.nextInt(keys)));
        measure("list %,d below a prefix".formatted(BELOW), 20, i -> {
            if (store.list(below(i), Optional.empty(), BELOW + 1).size() != Math.min(BELOW, keys)) {
                throw new IOException("too few below a prefix");
            }
        });
        measure("delete %,d below a prefix, synced".formatted(BELOW), 20, i -> store.delete(below(i)));
        measure("delete one key", SAMPLE, i -> store.delete(id(random.nextInt(keys))));
        int many = Math.max(1, keys / 2 / 20_000);
        measure("delete 20,000 below a prefix by range, synced", Math.min(many, 20), i -> store.delete(wide(i)));
        measure("get, behind that", SAMPLE, i -> store.get(id(keys / 2 + random.nextInt(keys / 2))));
        for (int ranges = 0; ranges < 3; ranges++) {
            RocksDbDatabase engine = engine(store);
            for (int i = 0; i < 1_000; i++) {
                byte[] first = MetadataKeyCodec.of(id(random.nextInt(keys)));
                engine.deleteRange(first, MetadataKeyCodec.after(first));
            }
            measure("get, %,d range deletions outstanding".formatted((ranges + 1) * 1_000), SAMPLE, i ->
                    store.get(id(keys / 2 + random.nextInt(keys / 2))));
        }
        System.out.printf("%,d MiB of native memory, resident %,d MiB in all%n", store.memoryBytes() >> 20, resident() >> 20);
        store.close();
    }

    private static RocksDbDatabase engine(MetadataStore store) throws Exception {
        var field = MetadataStore.class.getDeclaredField("engine");
        field.setAccessible(true);
        return (RocksDbDatabase) field.get(store);
    }

    private static void found(MetadataStore store, MetadataCost of, int number) throws IOException {
        if (store.get(of.id(number)).isEmpty()) {
            throw new IOException("entry %d is lost".formatted(number));
        }
    }

    private void found(MetadataStore store, int number) throws IOException {
        found(store, this, number);
    }

    private void absent(MetadataStore store, int number) throws IOException {
        if (store.get(id(number)).isPresent()) {
            throw new IOException("entry %d was never stored".formatted(number));
        }
    }

    private static void measure(String what, int times, Operation operation) throws IOException {
        long[] nanos = new long[times];
        for (int i = 0; i < times; i++) {
            long began = System.nanoTime();
            operation.run(i);
            nanos[i] = System.nanoTime() - began;
        }
        report(what, nanos);
    }

    private static void report(String what, long[] nanos) {
        Arrays.sort(nanos);
        System.out.printf(
                "%-48s mean %9.1f us, median %9.1f, p99 %9.1f, max %9.1f%n",
                what,
                Arrays.stream(nanos).average().orElse(0) / 1e3,
                nanos[nanos.length / 2] / 1e3,
                nanos[(int) (nanos.length * 0.99)] / 1e3,
                nanos[nanos.length - 1] / 1e3);
    }

    private static ObjectPrefix below(int number) {
        return new ObjectPrefix("aws", BUCKET, "imagenet/train/n%08d/".formatted(number));
    }

    private static ObjectPrefix wide(int number) {
        // Four folders each: a range of more than is deleted singly.
        return new ObjectPrefix("aws", BUCKET, "imagenet/train/n%07d".formatted(20 + number));
    }

    private ObjectId id(int number) {
        String key = "imagenet/train/n%08d/n%08d_%06d_image.JPEG".formatted(number / BELOW, number / BELOW, number);
        return ObjectId.current("aws", new ObjectRef(BUCKET, new ObjectKey(key)));
    }

    private ObjectMetadata metadata(int number) {
        ObjectId id = id(number);
        SplittableRandom content = new SplittableRandom(number);
        ETag tag = ETag.parse("\"%016x%016x\"".formatted(content.nextLong(), content.nextLong()));
        ObjectVersion version = ObjectVersion.ofETag(Optional.of(tag), 100_000 + content.nextInt(50_000), Optional.empty());
        HeaderList headers = HeaderList.EMPTY
                .with("content-type", "image/jpeg")
                .with("cache-control", "max-age=31536000")
                .with("x-amz-checksum-sha256", "%016x%016x%016x".formatted(content.nextLong(), content.nextLong(), content.nextLong()))
                .with("x-amz-checksum-type", "FULL_OBJECT")
                .with("x-amz-server-side-encryption", "AES256")
                .with("x-amz-meta-label", Integer.toString(content.nextInt(1000)));
        ObjectHead head = new ObjectHead(version, Optional.of(tag), Optional.of(Instant.ofEpochSecond(1_700_000_000L + number)), headers);
        return new ObjectMetadata(id, head, 1_700_000_000_000L + number, true, false, FINGERPRINTS.of(id, version, 1 << 20), 1 << 20);
    }

    private static long resident() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .sum();
    }

    private static void dropPageCache() throws IOException, InterruptedException {
        new ProcessBuilder("sync").start().waitFor();
        try {
            Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "3");
        } catch (IOException notRoot) {
            System.out.println("(the page cache is not dropped: that takes root)");
        }
    }

    /** Reads that all disks have completed; 0 where that is not told. */
    private static long deviceReads() throws IOException {
        long reads = 0;
        for (String line : Files.readAllLines(Path.of("/proc/diskstats"))) {
            String[] fields = line.strip().split("\\s+");
            if (!fields[2].startsWith("loop") && !fields[2].startsWith("ram")) {
                reads += Long.parseLong(fields[3]);
            }
        }
        return reads;
    }
}
