package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.cache.index.Fingerprint;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator is told of other sizes must be what he would see. */
class ShadowCachesTest {
    private static final int BYTES = 1000;

    /** Things are as large as is told at the begin, or smaller, which must be found out. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 20_000})
    void hitRatiosAreThoseOfCachesOfThatSize(int usual) {
        int things = 50_000;
        int capacity = 8_000;
        Trace trace = Trace.zipf(0.7, things, 500_000, 3);
        ShadowCaches ghosts = new ShadowCaches((long) capacity * BYTES, usual);
        Fingerprint[] keys = keys(things);
        for (int i = 0; i < trace.length(); i++) {
            ghosts.read(keys[trace.read(i)], BYTES);
        }

        for (int size = 0; size < ShadowCaches.SIZES.size(); size++) {
            int simulated = (int) (capacity * ShadowCaches.SIZES.get(size));
            double real =
                    Judged.play(trace, "real", Judged.model(simulated, things)).hits();
            assertThat(ghosts.hitRatio(size).orElseThrow())
                    .as("at %,d", simulated)
                    .isCloseTo(real, within(0.04));
        }
    }

    @Test
    void smallBlocksTakeNoMoreMemory() {
        ShadowCaches ghosts = new ShadowCaches(1L << 40, 1 << 20);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000_000; i++) {
            ghosts.read(new Fingerprint(random.nextLong(), random.nextLong()), 100);
        }

        assertThat(ghosts.hitRatio(3).orElse(0)).isZero();
    }

    @Test
    void fewReadsSayNothing() {
        assertThat(new ShadowCaches(1 << 30, 1 << 20).hitRatio(0)).isEmpty();
    }

    private static Fingerprint[] keys(int things) {
        SplittableRandom random = new SplittableRandom(5);
        Fingerprint[] keys = new Fingerprint[things];
        for (int i = 0; i < things; i++) {
            keys[i] = new Fingerprint(random.nextLong(), random.nextLong());
        }
        return keys;
    }
}
