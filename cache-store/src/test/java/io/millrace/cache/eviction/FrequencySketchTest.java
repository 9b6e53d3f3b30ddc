package io.millrace.cache.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is read often must not be taken for what is read seldom, nor be remembered for ever. */
class FrequencySketchTest {
    private final SplittableRandom random = new SplittableRandom(1);

    @Test
    void countsUpToItsMost() {
        FrequencySketch sketch = new FrequencySketch(1 << 12, 1_000_000);
        Fingerprint key = key();
        for (int uses = 0; uses < 20; uses++) {
            assertThat(sketch.frequency(key)).isEqualTo(Math.min(uses, FrequencySketch.MOST));
            sketch.count(key);
        }
    }

    @Test
    void neverUnderestimatesFrequency() {
        FrequencySketch sketch = new FrequencySketch(1 << 12, 1_000_000);
        List<Fingerprint> keys = keys(2_000);
        for (int i = 0; i < keys.size(); i++) {
            use(sketch, keys.get(i), 1 + i % 10);
        }

        for (int i = 0; i < keys.size(); i++) {
            assertThat(sketch.frequency(keys.get(i))).isGreaterThanOrEqualTo(1 + i % 10);
        }
    }

    @Test
    void scanOfManyHardlyLiftsTheOthers() {
        FrequencySketch sketch = new FrequencySketch(1 << 14, 1_000_000);
        // Four counters for each of 8,000 things, and as many counters as that.
        keys(8_000).forEach(sketch::count);

        List<Fingerprint> others = keys(1_000);
        double mean = others.stream().mapToInt(sketch::frequency).average().orElseThrow();
        assertThat(mean).isLessThan(0.6);
    }

    @Test
    void halvesAllCountsOnceAfterASample() {
        FrequencySketch sketch = new FrequencySketch(1 << 14, 2_048);
        Fingerprint often = key();
        use(sketch, often, 12);
        List<Fingerprint> others = keys(2_036);
        others.forEach(sketch::count);

        // Before all of it is halved, and then.
        assertThat(sketch.frequency(often)).isEqualTo(6);
        keys(500).forEach(sketch::count);
        assertThat(sketch.frequency(often)).isBetween(6, 7);
    }

    @Test
    void largeTableIsNotHalvedAfterFewUses() {
        FrequencySketch sketch = new FrequencySketch(1 << 20, 1_000);
        Fingerprint often = key();
        use(sketch, often, 12);
        keys(10_000).forEach(sketch::count);

        assertThat(sketch.frequency(often)).isEqualTo(12);
    }

    @Test
    void shortenedSampleEndsSooner() {
        FrequencySketch sketch = new FrequencySketch(1 << 20, 1_000_000);
        Fingerprint often = key();
        use(sketch, often, 12);
        for (int parts = 1; parts < 10; parts++) {
            sketch.shorten(10);
            assertThat(sketch.frequency(often)).isEqualTo(12);
        }
        // All lines are halved in some steps, each once.
        for (int step = 0; step < 20; step++) {
            sketch.shorten(step == 0 ? 10 : 1_000_000);
            assertThat(sketch.frequency(often)).isEqualTo(6);
        }
    }

    private static void use(FrequencySketch sketch, Fingerprint key, int uses) {
        for (int i = 0; i < uses; i++) {
            sketch.count(key);
        }
    }

    private List<Fingerprint> keys(int count) {
        List<Fingerprint> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(key());
        }
        return keys;
    }

    private Fingerprint key() {
        return new Fingerprint(random.nextLong(), random.nextLong());
    }
}
