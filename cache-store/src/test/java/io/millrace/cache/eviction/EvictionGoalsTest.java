package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

    /** Blocks that were read often in a window that has passed do not keep out those of the next. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shuffledInAWindowMissesAboutOncePerBlock(int window) {
        Judged judged = Judged.of(Trace.windows(16, 125, 10, window, 6, 1), 1_000);

        assertThat(judged.ours()).as(judged.row()).isGreaterThanOrEqualTo(0.93 * judged.bestOther());
    }

    /** A sketch is made for as many blocks as a disk can hold; there may be much fewer, as they are large. */
    @Test
    void shuffledInAWindowMissesAboutOncePerBlockWithLargeBlocks() {
        Trace trace = Trace.windows(8, 61, 11, 2, 6, 1);
        Contender model = new LogModel(AdmissionAndEvictionPolicy.frequency(2 << 20), 244, 16, trace.things());

        assertThat(Judged.play(trace, Judged.OURS, model).hits()).isBetween(0.85, 0.95);
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

    /** A reader of blocks in pieces misses each again and again, but at once, and not later. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 5_000})
    void scansInPiecesDoNotPushOutWhatIsPopular(int capacity) {
        double whole = hits(Trace.scans(0.9, 20_000, 16_000, 8_000, 400_000, 3), capacity);

        assertThat(hits(Trace.scans(0.9, 20_000, 16_000, 8_000, 2, 400_000, 3), capacity))
                .isGreaterThanOrEqualTo(0.96 * whole);
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

    private static double hits(Trace trace, int capacity) {
        return Judged.play(trace, Judged.OURS, Judged.model(capacity, trace.things()))
                .hits();
    }
}
