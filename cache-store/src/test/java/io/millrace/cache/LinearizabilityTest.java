package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Promise;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads are linearizable: each sees every acknowledged write, whatever the backend delays, however requests race,
 * whatever is evicted, and also after a kill. A defect here is an old object served as the current one.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class LinearizabilityTest {
    @TempDir
    Path folder;

    @Promise({"I1", "W2"})
    @ParameterizedTest
    @MethodSource("seeds")
    void readsSeeWhatWasAcknowledgedBefore(long seed) {
        play(seed);
    }

    @ParameterizedTest
    @MethodSource("manySeeds")
    @Tag("long")
    void readsSeeWhatWasAcknowledgedBeforeInManyRounds(long seed) {
        play(seed);
    }

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    static LongStream manySeeds() {
        long first = Long.getLong("millrace.linearizability.seed", 10_000);
        return LongStream.range(first, first + Integer.getInteger("millrace.linearizability.rounds", 1000));
    }

    private void play(long seed) {
        LinearizabilityRound play = new LinearizabilityRound(folder, seed);
        play.run();

        assertThat(play.wrong()).isEmpty();
        assertThat(play.reads()).as("reads that were compared").isPositive();
    }
}
