package io.millrace.cache.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An index that loses an entry costs a fetch; one that returns another's entry serves wrong bytes. */
class BlockIndexTest {
    private static final int STEPS = 200_000;

    @Test
    void presizingBeyondMemoryLeavesRoomInEachShard() {
        long memory = 4 << 20;
        BlockIndex index = new BlockIndex(memory);
        index.expect(1_000_000);
        Random random = new Random(5);

        int before = 0;
        while (index.put(new Fingerprint(random.nextLong(), random.nextLong()), entry(random))) {
            before++;
        }

        assertThat(index.memory()).isLessThanOrEqualTo(memory);
        assertThat(before * (long) BlockIndex.ENTRY_BYTES).isGreaterThan(memory / 2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void itDoesWhatAMapDoes(long seed) {
        Random random = new Random(seed);
        BlockIndex index = new BlockIndex(64 << 20);
        Map<Fingerprint, IndexEntry> model = new HashMap<>();
        for (int i = 0; i < STEPS; i++) {
            Fingerprint key = key(random.nextInt(20_000));
            IndexEntry entry = entry(random);
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> {
                    assertThat(index.put(key, entry)).isTrue();
                    model.put(key, entry);
                }
                case 3 -> {
                    IndexEntry there = model.get(key);
                    long place = there == null || random.nextInt(4) == 0 ? 77 : there.place();
                    boolean removed = there != null && there.place() == place;
                    assertThat(index.remove(key, place)).isEqualTo(removed);
                    if (removed) {
                        model.remove(key);
                    }
                }
                case 4 -> {
                    IndexEntry there = model.get(key);
                    if (there != null) {
                        assertThat(index.replace(key, there.place(), entry)).isTrue();
                        model.put(key, entry);
                    } else {
                        assertThat(index.replace(key, 77, entry)).isFalse();
                    }
                }
                default -> assertThat(index.find(key)).isEqualTo(model.get(key));
            }
        }
        assertThat(index.size()).isEqualTo(model.size());
        model.forEach((key, entry) -> assertThat(index.find(key)).isEqualTo(entry));
    }

    @Test
    void withdrawnEntryIsNeverFound() throws InterruptedException {
        BlockIndex index = new BlockIndex(1 << 20);
        for (int round = 0; round < 2_000; round++) {
            Fingerprint key = key(round);
            IndexEntry entry = IndexEntry.of(1, 64, 64, 100);
            AtomicBoolean withdrawn = new AtomicBoolean();
            Thread writer = new Thread(() -> index.putUnless(withdrawn::get, key, entry));
            writer.start();
            withdrawn.set(true);
            boolean unused = index.remove(key, entry.place());
            assertThat(index.find(key)).isNull();
            writer.join();
            assertThat(index.find(key)).isNull();
        }
    }

    @Test
    void anEntryKeepsWhatItIsMadeOf() {
        IndexEntry entry = IndexEntry.of(
                IndexEntry.MAX_SEGMENT, IndexEntry.MAX_SEGMENT_BYTES - 64, IndexEntry.MAX_BODY_START, 4 << 20);

        assertThat(entry.segment()).isEqualTo(IndexEntry.MAX_SEGMENT);
        assertThat(entry.start()).isEqualTo(IndexEntry.MAX_SEGMENT_BYTES - 64);
        assertThat(entry.bodyPosition()).isEqualTo(IndexEntry.MAX_SEGMENT_BYTES - 64 + IndexEntry.MAX_BODY_START);
        assertThat(entry.bodyBytes()).isEqualTo(4 << 20);
        assertThat(entry.verified().isVerified()).isTrue();
        assertThat(entry.isVerified()).isFalse();
    }

    @Test
    void aMillionEntriesTakeFortyBytesEachAtMost() {
        BlockIndex index = new BlockIndex(64 << 20);
        FingerprintHash hash = FingerprintHash.random();
        Random random = new Random(5);
        for (int i = 0; i < 1_000_000; i++) {
            assertThat(index.put(hash.of(Fingerprint.NONE, i), entry(random))).isTrue();
        }

        assertThat((double) index.memory() / index.size()).isLessThanOrEqualTo(40);
    }

    @Test
    void fullIndexRefusesNewEntriesOnly() {
        BlockIndex index = new BlockIndex(64 * 512 * 32 + 100_000);
        FingerprintHash hash = FingerprintHash.random();
        Random random = new Random(6);
        Map<Fingerprint, IndexEntry> taken = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            Fingerprint key = hash.of(Fingerprint.NONE, i);
            IndexEntry entry = entry(random);
            if (index.put(key, entry)) {
                taken.put(key, entry);
            }
        }

        assertThat(taken).hasSizeBetween(20_000, 60_000);
        taken.forEach((key, entry) -> assertThat(index.find(key)).isEqualTo(entry));
    }

    @Test
    void readersBesideAWriterSeeNoOtherKeysEntry() throws InterruptedException {
        BlockIndex index = new BlockIndex(64 << 20);
        AtomicBoolean done = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int r = 0; r < 3; r++) {
            int seed = r;
            Thread reader = new Thread(() -> {
                Random random = new Random(seed);
                while (!done.get()) {
                    int number = random.nextInt(50_000);
                    IndexEntry found = index.find(key(number));
                    if (found != null && found.bodyBytes() != number) {
                        synchronized (wrong) {
                            wrong.add(number + " " + found);
                        }
                    }
                }
            });
            reader.start();
            readers.add(reader);
        }
        Random random = new Random(9);
        long end = System.nanoTime() + 2_000_000_000L;
        while (System.nanoTime() < end) {
            int number = random.nextInt(50_000);
            IndexEntry entry = IndexEntry.of(1 + random.nextInt(1000), 64L * random.nextInt(1000), 64, number);
            if (random.nextInt(3) == 0) {
                IndexEntry there = index.find(key(number));
                if (there != null) {
                    index.remove(key(number), there.place());
                }
            } else {
                index.put(key(number), entry);
            }
        }
        done.set(true);
        for (Thread reader : readers) {
            reader.join();
        }

        assertThat(wrong).isEmpty();
    }

    /** Few different homes, so that many entries stand in each other's way. */
    private static Fingerprint key(int number) {
        return new Fingerprint((number % 500) * 0x0080_0000_0000_0000L + number, (long) (number % 3) << 58);
    }

    private static IndexEntry entry(Random random) {
        return IndexEntry.of(1 + random.nextInt(1 << 20), 64L * random.nextInt(1 << 20), 128, random.nextInt(4 << 20));
    }
}
