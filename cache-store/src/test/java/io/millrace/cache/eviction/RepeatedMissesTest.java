package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that are missed again soon show that the cache keeps the wrong ones; those of a scan do not. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class RepeatedMissesTest {
    private static final long SOON = 1_000;

    private final SplittableRandom random = new SplittableRandom(1);
    private final RepeatedMisses misses = new RepeatedMisses();
    private long now;

    @Test
    void missesThatComeAgainSoonAreFrequent() {
        List<Fingerprint> keys = keys(50);
        missAll(keys, SOON / 50);
        assertThat(misses.areFrequent()).isFalse();

        missAll(keys, SOON / 50);
        assertThat(misses.areFrequent()).isTrue();
    }

    @Test
    void missesThatComeAgainLateAreNotCounted() {
        List<Fingerprint> keys = keys(50);
        for (int round = 0; round < 10; round++) {
            missAll(keys, SOON / 50 + 1);
        }

        assertThat(misses.areFrequent()).isFalse();
    }

    @Test
    void scanInPiecesIsNotTakenForRepeatedMisses() {
        for (Fingerprint key : keys(500)) {
            missAll(List.of(key, key, key, key), 1);
        }

        assertThat(misses.areFrequent()).isFalse();
    }

    @Test
    void scanEndsIt() {
        List<Fingerprint> keys = keys(50);
        for (int round = 0; round < 10; round++) {
            missAll(keys, SOON / 50);
        }
        assertThat(misses.areFrequent()).isTrue();

        missAll(keys(300), 1);
        assertThat(misses.areFrequent()).isFalse();
    }

    /** A block that another gateway keeps is not copied for its first read, however often others are missed again. */
    @Test
    void copyIsAdmittedByFrequencyAlone() {
        AdmissionAndEvictionPolicy policy = AdmissionAndEvictionPolicy.frequency(1 << 16);
        Residents residents = new Residents(unsampled(), 1_000);
        for (int read = 0; read < FrequencySketch.MOST; read++) {
            policy.used(residents.key());
        }
        List<Fingerprint> window = keys(200);
        assertThat(isAdmittedAtItsFirstRead(policy, AdmissionAndEvictionPolicy.Space.NONE, residents))
                .isFalse();
        for (int round = 0; round < 4; round++) {
            for (Fingerprint key : window) {
                policy.used(key);
                boolean unused = policy.admits(key, AdmissionAndEvictionPolicy.Space.NONE, residents);
            }
        }

        assertThat(isAdmittedAtItsFirstRead(policy, AdmissionAndEvictionPolicy.Space.NONE, residents))
                .isTrue();
        assertThat(isAdmittedAtItsFirstRead(policy, AdmissionAndEvictionPolicy.Space.COPY, residents))
                .isFalse();
    }

    private boolean isAdmittedAtItsFirstRead(
            AdmissionAndEvictionPolicy policy, AdmissionAndEvictionPolicy.Space space, IndexSampler residents) {
        Fingerprint key = unsampled();
        policy.used(key);
        return policy.admits(key, space, residents);
    }

    /** Many blocks that are as popular as one of them. */
    private record Residents(Fingerprint key, long count) implements IndexSampler {
        @Override
        public @Nullable Resident any(long random) {
            return new Resident(key, 1, 0);
        }
    }

    private void missAll(List<Fingerprint> keys, long apart) {
        for (Fingerprint key : keys) {
            now += apart;
            boolean unused = misses.repeats(key, now, SOON);
        }
    }

    /** Returns keys of the sample. */
    private List<Fingerprint> keys(int count) {
        List<Fingerprint> keys = new ArrayList<>();
        while (keys.size() < count) {
            Fingerprint key = new Fingerprint(random.nextLong() >>> 3, random.nextLong());
            assertThat(RepeatedMisses.isSampled(key)).isTrue();
            keys.add(key);
        }
        return keys;
    }

    private Fingerprint unsampled() {
        Fingerprint key = new Fingerprint(random.nextLong() | Long.MIN_VALUE, random.nextLong());
        assertThat(RepeatedMisses.isSampled(key)).isFalse();
        return key;
    }
}
