package io.millrace.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the orders of objects and the distribution of sizes. */
class ObjectChooserTest {
    private static final long SEED = 7;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 10, 64, 65, 1000, 4097})
    void eachEpochHasEachObjectOnce(long count) {
        ObjectChooser chooser = KeyOrder.SHUFFLED.chooser(count, SEED);

        for (int epoch = 0; epoch < 3; epoch++) {
            long first = epoch * count;
            assertThat(LongStream.range(first, first + count)
                            .map(chooser::indexFor)
                            .sorted())
                    .containsExactlyElementsOf(
                            LongStream.range(0, count).boxed().toList());
        }
    }

    @Test
    void epochsHaveDifferentOrders() {
        ObjectChooser chooser = KeyOrder.SHUFFLED.chooser(100, SEED);

        assertThat(LongStream.range(0, 100).map(chooser::indexFor).toArray())
                .isNotEqualTo(LongStream.range(100, 200).map(chooser::indexFor).toArray());
    }

    @Test
    void uniformChoosesAllEquallyOften() {
        long[] counts = counts(KeyOrder.UNIFORM.chooser(100, SEED), 100, 100_000);

        assertThat(LongStream.of(counts)).allSatisfy(count -> assertThat(count).isBetween(850L, 1150L));
    }

    /** The sum of k^-0.99 for 1,000 objects is 7.73: the first has 12.9 %, the tenth 1.3 %. */
    @Test
    void zipfChoosesByRank() {
        long[] counts = counts(KeyOrder.ZIPF.chooser(1000, SEED), 1000, 200_000);
        Arrays.sort(counts);

        assertThat(counts[999] / 200_000.0).isBetween(0.12, 0.14);
        assertThat(counts[990] / 200_000.0).isBetween(0.010, 0.017);
        assertThat(counts[500]).isLessThan(200);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20_000})
    void zipfStaysInRange(long count) {
        ObjectChooser chooser = KeyOrder.ZIPF.chooser(count, SEED);

        assertThat(LongStream.range(0, 10_000).map(chooser::indexFor))
                .allSatisfy(index -> assertThat(index).isBetween(0L, count - 1));
    }

    @Test
    void sizesFollowTheirWeightsAndRanges() {
        SizeDistribution sizes = SizeDistribution.parse("4KiB:90, 1MiB..8MiB:10");

        long small = LongStream.range(0, 10_000)
                .map(sizes::sizeOf)
                .filter(size -> size == 4096)
                .count();

        assertThat(small).isBetween(8_800L, 9_200L);
        assertThat(LongStream.range(0, 10_000).map(sizes::sizeOf).filter(size -> size != 4096))
                .allSatisfy(size -> assertThat(size).isBetween(1L << 20, 8L << 20));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "4KiB,8KiB", "8KiB..4KiB", "4KiB:x", "4KiB:0", "many"})
    void refusesInvalidDistributions(String text) {
        assertThatThrownBy(() -> SizeDistribution.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static long[] counts(ObjectChooser chooser, int objects, int choices) {
        long[] counts = new long[objects];
        for (int number = 0; number < choices; number++) {
            counts[(int) chooser.indexFor(number)]++;
        }
        return counts;
    }
}
