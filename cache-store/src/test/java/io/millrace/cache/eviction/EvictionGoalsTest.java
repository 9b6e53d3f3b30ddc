package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How good the policy is, on small traces that are the same each time: {@link Simulator} has the large ones. A small
 * cache is judged less exactly, so limits are a little wider than the goals.
 */
class EvictionGoalsTest {
    @ParameterizedTest
    @ValueSource(ints = {25, 50, 75})
    void shuffledEpochsHitTheCachedFraction(int percent) {
        int things = 8_000;
        Judged judged = Judged.of(Trace.epochs(things, 10, 1), things * percent / 100);

        assertThat(judged.ours()).as(judged.row()).isGreaterThanOrEqualTo(0.95 * percent / 100);
        assertThat(judged.ours()).isLessThanOrEqualTo(judged.bound() + 1e-9);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 5_000})
    void zipfHitRatioIsNearTheBestPolicy(int capacity) {
        Judged judged = Judged.of(Trace.zipf(0.9, 20_000, 400_000, 2), capacity);

        assertThat(judged.ours()).as(judged.row()).isGreaterThanOrEqualTo(0.98 * judged.bestOther());
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 5_000})
    void scansDoNotPushOutWhatIsPopular(int capacity) {
        Judged judged = Judged.of(Trace.scans(0.9, 20_000, 16_000, 8_000, 400_000, 3), capacity);

        assertThat(judged.ours()).as(judged.row()).isGreaterThanOrEqualTo(0.97 * judged.bestOther());
    }

    @ParameterizedTest
    @ValueSource(ints = {2_000, 6_000})
    void mixedWorkloadHitRatioIsNearTheBestPolicy(int capacity) {
        Judged judged = Judged.of(Trace.mixed(0.9, 20_000, 8_000, 600_000, 4), capacity);

        assertThat(judged.ours()).as(judged.row()).isGreaterThanOrEqualTo(0.97 * judged.bestOther());
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 2_500})
    void adaptsToChangedPopularityWithinOneTurnover(int capacity) {
        Judged judged = Judged.of(Trace.changing(0.9, 20_000, 50_000, 3 * capacity, 5, 5), capacity);

        assertThat(judged.ours()).as(judged.row()).isGreaterThanOrEqualTo(0.93 * judged.bestOther());
    }
}
