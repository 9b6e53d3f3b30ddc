package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bucket that may have a part of the cache has that part, makes the best of it, and leaves the rest to others. */
class ShareTest {
    private static final int CAPACITY = 8_000;

    /** What is popular, more so than what others have; and what would take all, read in epochs. */
    @ParameterizedTest
    @ValueSource(doubles = {1.1, 0})
    void bucketNeverHasMoreThanItsShareAndOneThingThatComes(double skew) {
        SharedTrace.Outcome outcome = new SharedTrace(CAPACITY, 0.1).play(skew);

        assertThat(outcome.most()).isBetween(CAPACITY / 10 - 50L, CAPACITY / 10 + 1L);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.1, 0})
    void otherBucketGainsWhatItHasNot(double skew) {
        SharedTrace.Outcome free = new SharedTrace(CAPACITY, 1).play(skew);
        SharedTrace.Outcome bound = new SharedTrace(CAPACITY, 0.1).play(skew);

        assertThat(bound.calm()).isGreaterThan(free.calm() + 0.01);
    }

    /** With a tenth of 8,000 it hits as with a cache of 800 of its own, nearly. */
    @Test
    void bucketKeepsTheBestOfItsOwnWithinItsShare() {
        SharedTrace.Outcome bound = new SharedTrace(CAPACITY, 0.1).play(1.1);
        double alone = Judged.play(Trace.zipf(1.1, 20_000, 750_000, 4), "alone", Judged.model(800, 20_000))
                .hits();

        assertThat(bound.greedy()).isGreaterThan(alone - 0.03);
    }

    @Test
    void epochsHitInProportionToTheShare() {
        SharedTrace.Outcome bound = new SharedTrace(CAPACITY, 0.25).play(0);

        assertThat(bound.greedy()).isGreaterThan(0.9 * 0.25 * CAPACITY / 20_000);
    }
}
