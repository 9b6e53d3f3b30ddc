package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A thousand seeds of the simulation, without homes and with, as many at a time as there are processors; {@code
 * -Dmillrace.cluster.seeds=COUNT} is another number of them, {@code -Dmillrace.cluster.seed=SEED} sets the first.
 */
@Tag("long")
class ClusterSimulationsTest {
    @Test
    void promisesHoldUnderRandomFaults() {
        assertThat(violations(false)).isEmpty();
    }

    @Test
    void promisesHoldUnderRandomFaultsThroughHomes() {
        assertThat(violations(true)).isEmpty();
    }

    private static List<String> violations(boolean isShared) {
        long first = Long.getLong("millrace.cluster.seed", 1);
        long seeds = Long.getLong("millrace.cluster.seeds", 1000);
        return LongStream.range(first, first + seeds)
                .parallel()
                .boxed()
                .flatMap(seed -> violation(seed, isShared))
                .toList();
    }

    private static Stream<String> violation(long seed, boolean isShared) {
        List<String> found = new RandomRun(seed, Alteration.NONE, seed % 2 == 0, isShared).run();
        return found.stream().limit(1).map(first -> "seed " + seed + ": " + first);
    }
}
