package io.millrace.cache;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.metadata.DisturbedMetadata;
import io.millrace.cache.metadata.ObjectMetadata;
import java.nio.file.Path;
import java.util.Random;

/** A program of its own that fills a cache and tells which objects it has stored, until somebody kills it. */
final class KilledWriter {
    static final String DISK = "2GiB";

    private KilledWriter() {}

    /** The folder, and the round. */
    public static void main(String[] args) {
        TestCache cache = new TestCache(Path.of(args[0]), "16MiB", DISK);
        for (int thread = 0; thread < 4; thread++) {
            int number = thread;
            new Thread(() -> write(cache, "%s-%d".formatted(args[1], number))).start();
        }
    }

    /** An object whose name tells its size. */
    static FaultySource source(String name) {
        Random random = new Random(name.hashCode());
        long size = random.nextBoolean() ? 1 + random.nextInt(50_000) : 1 + random.nextInt(2 << 20);
        return FaultySource.sound(name, size);
    }

    private static void write(TestCache cache, String prefix) {
        for (int i = 0; ; i++) {
            String name = prefix + "-" + i;
            FaultySource source = source(name);
            CheckingReader reader = new CheckingReader(source::bytes, 0, Long.MAX_VALUE);
            cache.read(name, source).subscribe(reader);
            reader.await(source.size());
            ObjectMetadata head = cache.headNow(name, source);
            while (!cache.cache().inventory().holds(head, new ByteRange(0, head.size() - 1))
                    || !DisturbedMetadata.isStored(cache.cache(), head.id())) {
                Waiting.pause(1);
            }
            synchronized (System.out) {
                System.out.println(name);
                System.out.flush();
            }
        }
    }
}
