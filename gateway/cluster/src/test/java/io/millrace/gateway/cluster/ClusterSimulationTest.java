package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The promises of a cluster hold under delays, loss, repetition, one-way cuts, hung ports, freezes, kills with older
 * disks, clocks that differ by 10 %, and lists that change. A failure names the seed; the trace of a run is in its
 * log.
 */
class ClusterSimulationTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void promisesHoldUnderRandomFaults(long seed) {
        RandomRun run = new RandomRun(seed, Alteration.NONE, seed % 2 == 0);

        assertThat(run.run()).as("seed %d", seed).isEmpty();
        // Nothing is shown by a cluster that does nothing.
        assertThat(run.cluster.hits).isGreaterThan(100);
        assertThat(run.cluster.writes).isGreaterThan(100);
    }

    /** What is relayed is of its home's memory or backend, and remembered here, while members die, join and leave. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void promisesHoldUnderRandomFaultsThroughHomes(long seed) {
        RandomRun run = new RandomRun(seed, Alteration.NONE, seed % 2 == 0, true);

        assertThat(run.run()).as("seed %d", seed).isEmpty();
        assertThat(run.cluster.hits).isGreaterThan(100);
        assertThat(run.cluster.relays).isGreaterThan(20);
    }

    @ParameterizedTest
    @EnumSource(FixedSchedule.class)
    void promisesHoldUnderFixedSchedules(FixedSchedule schedule) {
        SimulatedCluster cluster = schedule.run(Alteration.NONE);

        assertThat(cluster.violations)
                .as(() -> String.join(System.lineSeparator(), cluster.log))
                .isEmpty();
    }
}
