package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand seeds of the simulation, without homes and with; {@code -Dmillrace.cluster.seed=SEED} sets the first. */
@Tag("long")
class ClusterSimulationsTest {
    private static final int SEEDS = 1000;

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
        List<String> violations = new ArrayList<>();
        for (long seed = first; seed < first + SEEDS; seed++) {
            List<String> found = new RandomRun(seed, Alteration.NONE, seed % 2 == 0, isShared).run();
            if (!found.isEmpty()) {
                violations.add("seed " + seed + ": " + found.get(0));
            }
        }
        return violations;
    }
}
