package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.index.IndexSampler;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** However many store, ask and take out at once: what is counted is what is there, and no more than the share. */
class ShareUnderLoadTest {
    private static final int MOST = 100;
    private static final int KEYS = 400;
    private static final int THREADS = 4;
    private static final int STEPS = 5_000;

    private final AtomicLong counted = new AtomicLong();
    private final BlockIndex index = new BlockIndex(1 << 24, (group, bytes, times) -> counted.addAndGet(times));
    private final QuotaController share =
            new QuotaController(() -> MOST, counted::get, AdmissionAndEvictionPolicy.frequency(1 << 10));
    private final QuotaController.Own own = new QuotaController.Own() {
        @Override
        public boolean has(IndexSampler.Resident resident) {
            return resident.group() == 1;
        }

        @Override
        public QuotaController.Retention retention(Fingerprint key) {
            return key.low() % 7 == 0 ? QuotaController.Retention.YES : QuotaController.Retention.NO;
        }

        @Override
        public boolean takeOut(Fingerprint key) {
            IndexEntry entry = index.find(key);
            return entry != null && index.remove(key, entry.place());
        }
    };

    @Test
    void countMatchesTheContentWithinTheQuota() {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            running.add(CompletableFuture.runAsync(() -> work(random), task -> new Thread(task).start()));
        }
        running.forEach(CompletableFuture::join);

        assertThat(counted.get()).isEqualTo(there()).isBetween(0L, (long) MOST);
        IntStream.rangeClosed(1, KEYS).forEach(this::store);
        assertThat(counted.get()).isEqualTo(there()).isEqualTo(MOST);
    }

    private void work(SplittableRandom random) {
        for (int i = 0; i < STEPS; i++) {
            int number = 1 + random.nextInt(KEYS);
            switch (random.nextInt(8)) {
                case 0 -> own.takeOut(key(number));
                case 1 -> share.admits(key(number), 1, index, own::has);
                default -> store(number);
            }
        }
    }

    private void store(int number) {
        index.put(key(number), IndexEntry.of(number, 64, 64, 1).in(1));
        share.stored(key(number), index, own);
    }

    private long there() {
        return IntStream.rangeClosed(1, KEYS)
                .filter(number -> index.find(key(number)) != null)
                .count();
    }

    /** All over the index. */
    private static Fingerprint key(int number) {
        return new Fingerprint(FrequencyPolicy.mixed(number), FrequencyPolicy.mixed(-number));
    }
}
