package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.below;
import static io.millrace.cache.metadata.MetadataFixture.id;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A separate process that reads, scans and evicts a metadata store that is larger than its memory. It prints the most
 * memory that this took: by the system, and by RocksDB.
 */
final class ScannedMetadataStore {
    private static final int READERS = 4;
    private static final int READS = 150_000;
    private static final int FOLDERS = 100;

    private final MetadataStore store;
    private final int entries;
    private long mostResident;
    private long mostReported;
    private long mostOnDisk;

    private ScannedMetadataStore(MetadataStore store, int entries) {
        this.store = store;
        this.entries = entries;
    }

    /** A folder, the memory of the store in bytes, and the number of its entries. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        long memory = Long.parseLong(args[1]);
        // Loads and compiles the code.
        run(folder.resolve("small"), memory, 2000);
        long before = residentBytes();
        ScannedMetadataStore scanned = run(folder.resolve("large"), memory, Integer.parseInt(args[2]));
        System.out.printf(
                "resident=%d%nreported=%d%nfiles=%d%n",
                scanned.mostResident - before, scanned.mostReported, scanned.mostOnDisk);
    }

    private static ScannedMetadataStore run(Path folder, long memory, int entries) throws Exception {
        Files.createDirectories(folder);
        try (MetadataStore store = MetadataStore.open(
                folder.resolve("store"),
                folder.resolve("witness"),
                memory,
                new MetadataValueCodec(MetadataFixture.FINGERPRINTS),
                MetadataFixture.epochs(1),
                1)) {
            ScannedMetadataStore scanned = new ScannedMetadataStore(store, entries);
            scanned.measure();
            return scanned;
        }
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private void measure() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Thread sampler = start(() -> {
            do {
                sample();
            } while (!ended.await(10, TimeUnit.MILLISECONDS));
        });
        start(this::fill).join();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int seed = i;
            threads.add(start(() -> read(seed)));
        }
        // A page at a time, as prefix residency and verification do, and the maintenance at the same time.
        threads.add(start(this::scan));
        threads.add(start(this::evict));
        for (Thread each : threads) {
            each.join();
        }
        ended.countDown();
        sampler.join();
    }

    private static Thread start(Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setUncaughtExceptionHandler((failed, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        thread.start();
        return thread;
    }

    private void sample() throws IOException {
        mostResident = Math.max(mostResident, residentBytes());
        mostReported = Math.max(mostReported, store.memoryBytes());
        mostOnDisk = Math.max(mostOnDisk, store.diskBytes());
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        throw new IOException("no VmRSS");
    }

    private void fill() throws IOException, InterruptedException {
        for (int i = 0; i < entries; i++) {
            ObjectMetadata metadata = metadata(i);
            boolean stored = false;
            while (!stored) {
                try {
                    store.put(metadata, () -> true);
                    stored = true;
                } catch (CompactionBacklogException compacting) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
            }
        }
    }

    private void read(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < READS; i++) {
            ObjectId id = id(key(random.nextInt(entries)));
            if (store.mayContain(id)) {
                store.get(id);
            }
        }
    }

    private void scan() throws IOException {
        for (int folder = 0; folder < FOLDERS; folder++) {
            Optional<ObjectId> after = Optional.empty();
            List<ObjectMetadata> page;
            do {
                page = store.list(below(folder(folder)), after, 500);
                after = page.isEmpty()
                        ? after
                        : Optional.of(page.get(page.size() - 1).id());
            } while (!page.isEmpty());
        }
    }

    private void evict() throws IOException {
        store.delete(below(folder(1)));
        new MetadataMaintenance(store, store.diskBytes() * 2 / 3, metadata -> metadata.size() % 2 == 0).shrink();
    }

    private static String folder(int number) {
        return "folder-%03d/".formatted(number % FOLDERS);
    }

    private static String key(int number) {
        return folder(number) + "image-%016x.jpg".formatted(new SplittableRandom(number).nextLong());
    }

    /** Random tags and checksums, which compress as badly as real ones. */
    private static ObjectMetadata metadata(int number) {
        SplittableRandom random = new SplittableRandom(number);
        ObjectId id = id(key(number));
        ETag tag = ETag.parse("\"%016x%016x\"".formatted(random.nextLong(), random.nextLong()));
        ObjectVersion version = ObjectVersion.ofETag(Optional.of(tag), number, Optional.empty());
        HeaderList headers = HeaderList.EMPTY
                .with("content-type", "image/jpeg")
                .with("x-amz-checksum-sha256", "%016x%016x".formatted(random.nextLong(), random.nextLong()))
                .with("x-amz-meta-source", "%016x%016x".formatted(random.nextLong(), random.nextLong()));
        ObjectHead head =
                new ObjectHead(version, Optional.of(tag), Optional.of(Instant.ofEpochSecond(number)), headers);
        return new ObjectMetadata(
                id, head, number, true, false, MetadataFixture.FINGERPRINTS.of(id, version, 1 << 20), 1 << 20);
    }
}
