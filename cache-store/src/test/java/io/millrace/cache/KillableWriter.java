package io.millrace.cache;

import io.millrace.backend.testkit.Polling;
import io.millrace.cache.metadata.MetadataStoreFault;
import io.millrace.cache.metadata.ObjectMetadata;
import java.nio.file.Path;
import java.util.Random;

/** A separate process that fills a cache and prints which objects it has stored, until it is killed. */
final class KillableWriter {
    static final String DISK = "2GiB";

    private KillableWriter() {}

    /** The folder, and the round. */
    public static void main(String[] args) {
        TestCache cache = new TestCache(Path.of(args[0]), "16MiB", DISK);
        for (int thread = 0; thread < 4; thread++) {
            int number = thread;
            new Thread(() -> write(cache, "%s-%d".formatted(args[1], number))).start();
        }
    }

    /** An object whose name tells its size. */
    static FaultyObjectSource source(String name) {
        Random random = new Random(name.hashCode());
        long size = random.nextBoolean() ? 1 + random.nextInt(50_000) : 1 + random.nextInt(2 << 20);
        return FaultyObjectSource.sound(name, size);
    }

    private static void write(TestCache cache, String prefix) {
        for (int i = 0; ; i++) {
            String name = prefix + "-" + i;
            FaultyObjectSource source = source(name);
            VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
            cache.read(name, source).subscribe(reader);
            reader.await(source.size());
            ObjectMetadata head = cache.headNow(name, source);
            Polling.until(
                    "it is stored",
                    () -> cache.cache().inventory().residentBytes(head) == head.size()
                            && MetadataStoreFault.isStored(cache.cache(), head.id()));
            synchronized (System.out) {
                System.out.println(name);
                System.out.flush();
            }
        }
    }
}
