package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bucket that may have a part of the cache has that part, makes the best of it, and leaves the rest to others. */
class QuotaControllerTest {
    private static final int CAPACITY = 8_000;

    /** Several tests look at one outcome, and each takes seconds to play. */
    private static final Map<List<Double>, SharedTrace.Outcome> PLAYED = new HashMap<>();

    private static SharedTrace.Outcome play(double quota, double skew) {
        return PLAYED.computeIfAbsent(List.of(quota, skew), key -> SharedTrace.play(CAPACITY, quota, skew));
    }

    /** What is popular, more so than what others have; and what would take all, read in epochs. */
    @ParameterizedTest
    @ValueSource(doubles = {1.1, 0})
    void bucketExceedsItsQuotaByOneBlockAtMost(double skew) {
        SharedTrace.Outcome outcome = play(0.1, skew);

        assertThat(outcome.most()).isBetween(CAPACITY / 10 - 50L, CAPACITY / 10 + 1L);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.1, 0})
    void otherBucketGainsWhatItHasNot(double skew) {
        SharedTrace.Outcome free = play(1, skew);
        SharedTrace.Outcome bound = play(0.1, skew);

        assertThat(bound.calm()).isGreaterThan(free.calm() + 0.01);
    }

    /** With a tenth of 8,000 it hits as with a cache of 800 of its own, nearly. */
    @Test
    void keepsTheMostReadBlocksWithinTheQuota() {
        SharedTrace.Outcome bound = play(0.1, 1.1);
        double alone = Judged.play(Trace.zipf(1.1, 20_000, 250_000, 4), "alone", Judged.model(800, 20_000))
                .hits();

        assertThat(bound.greedy()).isGreaterThan(alone - 0.03);
    }

    @Test
    void epochsHitInProportionToTheShare() {
        SharedTrace.Outcome bound = play(0.25, 0);

        assertThat(bound.greedy()).isGreaterThan(0.9 * 0.25 * CAPACITY / 20_000);
    }

    /** As behind a start: there are a hundred of its own, of which it has seen none. */
    @Test
    void newBlockStaysAndAnUnsampledOneIsRemoved() {
        Cached cached = new Cached(100, 100_000);
        QuotaController share =
                new QuotaController(() -> 100, cached.own::size, AdmissionAndEvictionPolicy.frequency(1 << 10));

        for (int i = 1000; i < 1020; i++) {
            cached.own.add(key(i));
            share.stored(key(i), cached, cached);
            assertThat(cached.own).contains(key(i)).hasSize(100);
        }
    }

    @Test
    void onlyBlockStaysUntilTheNextIsStored() {
        Cached cached = new Cached(0, 0);
        QuotaController share =
                new QuotaController(() -> 0, cached.own::size, AdmissionAndEvictionPolicy.frequency(1 << 10));

        for (int i = 0; i < 5; i++) {
            cached.own.add(key(i));
            share.stored(key(i), cached, cached);
            assertThat(cached.own).containsExactly(key(i));
        }
    }

    /** Nine of ten should stay, and are read less than what need not. */
    @Test
    void pinnedBlocksAreRemovedLast() {
        Cached cached = new Cached(200, 0);
        for (int i = 0; i < 180; i++) {
            cached.kept.put(key(i), QuotaController.Retention.YES);
        }
        for (int i = 180; i < 200; i++) {
            for (int read = 0; read < 3; read++) {
                cached.policy.used(key(i));
            }
        }

        store(cached, 100);

        assertThat(cached.own).containsAll(cached.kept.keySet());
    }

    @Test
    void blocksOfUnknownRetentionGoBeforePinnedOnes() {
        Cached cached = new Cached(200, 0);
        for (int i = 0; i < 200; i++) {
            cached.kept.put(key(i), i < 100 ? QuotaController.Retention.YES : QuotaController.Retention.UNKNOWN);
        }
        for (int i = 1000; i < 1030; i++) {
            cached.kept.put(key(i), QuotaController.Retention.UNKNOWN);
        }

        store(cached, 30);

        for (int i = 0; i < 100; i++) {
            assertThat(cached.own).contains(key(i));
        }
    }

    @Test
    void pinnedBlocksAreRemovedIfOnlyTheyRemain() {
        Cached cached = new Cached(100, 0);
        for (int i = 0; i < 100; i++) {
            cached.kept.put(key(i), QuotaController.Retention.YES);
        }
        for (int i = 1000; i < 1010; i++) {
            cached.kept.put(key(i), QuotaController.Retention.YES);
        }

        store(cached, 10);

        assertThat(cached.own).hasSize(100);
    }

    /** Into a share that is used up. */
    private static void store(Cached cached, int number) {
        int most = cached.own.size();
        QuotaController share = new QuotaController(() -> most, cached.own::size, cached.policy);
        for (int i = 1000; i < 1000 + number; i++) {
            cached.own.add(key(i));
            share.stored(key(i), cached, cached);
        }
    }

    private static Fingerprint key(long number) {
        return new Fingerprint(number, 1);
    }

    /** Some of its own among many others; of one byte each. */
    private static final class Cached implements IndexSampler, QuotaController.Own {
        final Set<Fingerprint> own = new HashSet<>();
        final Map<Fingerprint, QuotaController.Retention> kept = new HashMap<>();
        final AdmissionAndEvictionPolicy policy = AdmissionAndEvictionPolicy.frequency(1 << 10);
        private final int others;

        Cached(int own, int others) {
            for (int i = 0; i < own; i++) {
                this.own.add(key(i));
            }
            this.others = others;
        }

        @Override
        public long count() {
            return (long) own.size() + others;
        }

        @Override
        public @Nullable Resident any(long random) {
            long number = Long.remainderUnsigned(random, Math.max(1, count()));
            boolean isOwn = own.contains(key(number));
            return number < others || isOwn ? new Resident(key(number), 1, isOwn ? 1 : 0) : null;
        }

        @Override
        public boolean has(Resident resident) {
            return resident.group() == 1;
        }

        @Override
        public QuotaController.Retention retention(Fingerprint key) {
            return kept.getOrDefault(key, QuotaController.Retention.NO);
        }

        @Override
        public boolean takeOut(Fingerprint key) {
            return own.remove(key);
        }
    }
}
