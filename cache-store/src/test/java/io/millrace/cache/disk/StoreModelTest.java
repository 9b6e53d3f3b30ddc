package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.EvictionReason;
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
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No byte is another than was written, and what was just stored is there, whatever is evicted, copied forward, found
 * after a start, a kill or a power cut, has gone bad at rest, or comes with a disk that was absent. One seed is one
 * round; bench/model.sh repeats it.
 */
@ExtendWith(BufferLeakExtension.class)
class StoreModelTest {
    private static final int STEPS = 400;

    /**
     * What was written last is in the open segment or the one before it, none of which goes; half of one may be copies.
     */
    private static final long SURELY_THERE = 300_000;

    /**
     * Of one segment of a disk; more goes at once where others that went before are still held by who forces or reads
     * them.
     */
    private static final long SEGMENT = 1_100_000;

    /** A disk that rests or is full is read. */
    private static final Set<DiskSnapshot.Condition> NOT_READ =
            Set.of(DiskSnapshot.Condition.FAILING, DiskSnapshot.Condition.LOST);

    @TempDir
    Path folder;

    private BlockStore store;
    private Random random = new Random(0);

    /** What must be found: for each block what had happened before it was stored. */
    private final Map<Integer, Moment> stored = new ConcurrentHashMap<>();

    private final AtomicLong written = new AtomicLong();
    private final AtomicLong evicted = new AtomicLong();
    private final Phaser pending = new Phaser(1);
    private int disks = 1;
    private int blocks;

    /** Bytes have gone bad: what does not check is no mistake any more. */
    private boolean damaged;

    private String history = "";

    /** Bytes that had been handed over, and that had gone, by then. */
    private record Moment(long written, long evicted) {}

    private static long operations;
    private static int starts;
    private static final Map<String, Integer> done = new TreeMap<>();

    @BeforeEach
    void start() throws IOException {
        store = open();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void findsWhatTheModelHas(long seed) throws IOException {
        play(seed);
    }

    @ParameterizedTest
    @MethodSource("manySeeds")
    @Tag("long")
    void findsWhatTheModelHasInManyRounds(long seed) throws IOException {
        play(seed);
    }

    static LongStream seeds() {
        return LongStream.range(0, 16);
    }

    static LongStream manySeeds() {
        long first = Long.getLong("millrace.model.seed", 1000);
        return LongStream.range(first, first + Integer.getInteger("millrace.model.rounds", 600));
    }

    @AfterAll
    static void tellHowMuchWasDone() {
        System.out.printf("MODEL %d operations, %d starts: %s%n", operations, starts, done);
    }

    private void play(long seed) throws IOException {
        random = new Random(seed);
        history = "seed " + seed;
        disks = 1 + random.nextInt(3);
        store.close();
        store = open();
        try {
            for (int step = 0; step < STEPS; step++) {
                step();
            }
        } finally {
            store.close();
        }
    }

    private void step() throws IOException {
        operations++;
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> write(true);
            case 11, 12, 13, 14, 15 -> use();
            case 16, 17, 18 -> {
                pending.arriveAndAwaitAdvance();
                check();
            }
            default -> {
                if (random.nextInt(2) == 0) {
                    end();
                }
            }
        }
    }

    /** The process ends, in one way or another, and another begins, perhaps with other disks. */
    private void end() throws IOException {
        starts++;
        String way = switch (random.nextInt(6)) {
            case 0, 1 -> kill();
            case 2 -> cutPower();
            case 3 -> corrupt();
            default -> stop();
        };
        done.merge(way, 1, Integer::sum);
        history += ", " + way;
        if (random.nextInt(3) == 0) {
            disks = 1 + random.nextInt(3);
            history += " with %d disks".formatted(disks);
            stored.clear();
        }
        store = open();
        check();
    }

    private String stop() {
        store.close();
        return "stop";
    }

    /** Perhaps while something was being written. */
    private String kill() throws IOException {
        pending.arriveAndAwaitAdvance();
        List<Path> before = segments();
        List<Long> sizes = sizes(before);
        for (int torn = random.nextInt(3); torn > 0; torn--) {
            write(false);
        }
        pending.arriveAndAwaitAdvance();
        Path copy = folder.resolve("as-it-was");
        Damage.keepAsItIs(cache(), copy);
        List<Path> after = segments();
        store.close();
        Damage.bringBack(copy, cache());
        if (after.equals(before)) {
            tear(before, sizes);
        }
        return "kill";
    }

    /** What was written last did not all come to its file. */
    private void tear(List<Path> files, List<Long> sizes) throws IOException {
        for (int i = 0; i < files.size(); i++) {
            long more = Files.size(files.get(i)) - sizes.get(i);
            if (more > 0) {
                try (FileChannel file = FileChannel.open(files.get(i), StandardOpenOption.WRITE)) {
                    file.truncate(sizes.get(i) + random.nextLong(more));
                }
            }
        }
    }

    private String cutPower() throws IOException {
        kill();
        new Damage(random).cutPower(cache());
        stored.clear();
        damaged = true;
        return "cut";
    }

    private String corrupt() throws IOException {
        String how = random.nextBoolean() ? stop() : kill();
        String what = new Damage(random).corrupt(cache());
        stored.clear();
        damaged = true;
        history += " (" + what + ")";
        return "corruption after " + how;
    }

    private Path cache() {
        return folder.resolve("cache");
    }

    private List<Path> segments() throws IOException {
        return Damage.files(cache(), Segment.SUFFIX);
    }

    private static List<Long> sizes(List<Path> files) throws IOException {
        List<Long> sizes = new ArrayList<>();
        for (Path file : files) {
            sizes.add(Files.size(file));
        }
        return sizes;
    }

    /** @param whole whether it comes to its file whatever happens next */
    private void write(boolean whole) {
        int number = blocks++;
        Moment before = now();
        BlockToWrite draft = new BlockToWrite(
                key(number),
                number,
                ByteBuffer.allocate(random.nextInt(1000)),
                body(name(number), random.nextInt(200_000)));
        pending.register();
        written.addAndGet(draft.bodyBytes() + draft.identity().remaining());
        store.write(draft, isStored -> {
            if (isStored && whole) {
                stored.put(number, before);
            }
            pending.arriveAndDeregister();
        });
    }

    private Moment now() {
        return new Moment(written.get(), evicted.get());
    }

    private boolean mayHaveGone(Moment since) {
        Moment now = now();
        return now.written() - since.written() > SURELY_THERE || now.evicted() - since.evicted() > SEGMENT;
    }

    /** On a busy machine a disk may seem to hang: what is on it is not found then. */
    private boolean isADiskBypassed() {
        return store.disks().states().stream().map(DiskSnapshot::condition).anyMatch(NOT_READ::contains);
    }

    private void use() throws IOException {
        for (int i = 0; i < 5 && blocks > 0; i++) {
            operations++;
            int number = random.nextInt(blocks);
            try (StoredBlock block = store.find(key(number))) {
                if (block != null) {
                    block.used();
                    checkBody(block, name(number));
                }
            }
        }
        if (random.nextInt(20) == 0) {
            int number = random.nextInt(1 + blocks);
            // A block may be found, and dropped, before its writer is told that it is stored.
            pending.arriveAndAwaitAdvance();
            stored.remove(number);
            assertThat(store.drop(key(number))).isNotNegative();
        }
    }

    private void check() throws IOException {
        for (Map.Entry<Integer, Moment> known : stored.entrySet()) {
            operations++;
            try (StoredBlock block = store.find(key(known.getKey()))) {
                if (block != null) {
                    checkBody(block, name(known.getKey()));
                } else {
                    assertThat(mayHaveGone(known.getValue()) || isADiskBypassed())
                            .as("block %d, just stored, is there: %s", known.getKey(), history)
                            .isTrue();
                }
            }
        }
        stored.values().removeIf(this::mayHaveGone);
    }

    private static String name(int number) {
        return "block-" + number;
    }

    private void checkBody(StoredBlock record, String name) throws IOException {
        boolean right = record.verify();
        assertThat(right || damaged)
                .as("a body that does not check: %s", history)
                .isTrue();
        if (right) {
            ByteBuf body = record.read(0, record.bodyBytes());
            assertThat(body).isNotNull();
            byte[] bytes = new byte[body.readableBytes()];
            body.readBytes(bytes).release();
            assertThat(bytes)
                    .as("bytes of %s: %s", name, history)
                    .isEqualTo(GeneratedBytes.of(name).first(bytes.length));
        }
    }

    private Fingerprint key(int number) {
        return store.hash().of(Fingerprint.NONE, number);
    }

    private static List<ByteBuf> body(String name, int length) {
        byte[] bytes = GeneratedBytes.of(name).first(length);
        List<ByteBuf> pages = new ArrayList<>();
        for (int at = 0; at < length; at += BlockPageLayout.SIZE) {
            pages.add(Unpooled.wrappedBuffer(bytes, at, Math.min(BlockPageLayout.SIZE, length - at)));
        }
        return pages;
    }

    private BlockStore open() throws IOException {
        String[] sizes = {"3MiB", "5MiB", "4MiB"};
        List<DiskSettings> settings = new ArrayList<>();
        for (int i = 0; i < disks; i++) {
            settings.add(new DiskSettings(cache().resolve("disk-" + i), DataSize.parse(sizes[i])));
        }
        BlockStore opened = BlockStore.open(
                CacheSettingsFixture.of(
                        DataSize.parse("4KiB"), DataSize.parse("1MiB"), DataSize.parse("4MiB"), settings),
                cache().resolve("data"),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                new CacheEventListener() {
                    @Override
                    public void evicted(EvictionReason reason, long bytes, long kept) {
                        evicted.addAndGet(bytes);
                    }
                });
        opened.disks().recover();
        return opened;
    }
}
