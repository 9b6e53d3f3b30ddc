package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.store.JobStateThread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a shuffle loses no sample, holds no more than it may, and leaves no file. */
class SampleShuffleTest {
    private static final int SAMPLES = 320;

    /** Less than that of a window of 160 samples, more than that of a run of ten, or of a few of one slice. */
    private static final long LITTLE = 4000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final JobStateThread thread = new JobStateThread();
    private final List<String> shuffled = new ArrayList<>();

    @AfterEach
    void stop() {
        thread.close();
    }

    @Test
    void everySampleIsShuffledOnce() throws IOException {
        shuffle(OptionalInt.empty(), Long.MAX_VALUE);
        List<String> whole = List.copyOf(shuffled);
        shuffled.clear();
        // The last run and the last window have fewer.
        shuffle(OptionalInt.of(48), Long.MAX_VALUE);

        List<String> all =
                IntStream.range(0, SAMPLES).mapToObj(SampleShuffleTest::name).toList();
        assertThat(whole).isNotEqualTo(all).containsExactlyInAnyOrderElementsOf(all);
        assertThat(shuffled).isNotEqualTo(whole).isNotEqualTo(all).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void windowOfTooManyBytesIsRefused() {
        assertThatThrownBy(() -> shuffle(OptionalInt.of(160), LITTLE))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("a window of its samples has too many files");
    }

    /** All are in one run, and so in one slice. */
    @Test
    void sliceOfTooManyBytesIsRefused() {
        assertThatThrownBy(() -> shuffle(OptionalInt.of(16 * SAMPLES), LITTLE))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("choose another seed, or a smaller window");
    }

    private void shuffle(OptionalInt window, long most) throws IOException {
        JobSpec.Shards shards = new JobSpec.Shards(
                JobSpec.ShardNames.parse("%01d.tar"),
                DataSize.ofGibibytes(1),
                Integer.MAX_VALUE,
                OptionalLong.of(7),
                window,
                false);
        try (SampleShuffle shuffle = new SampleShuffle(
                new ShardArrangement(folder, thread),
                shards,
                0,
                sample -> shuffled.add(sample.get(0).key()),
                most)) {
            for (int i = 0; i < SAMPLES; i++) {
                shuffle.add(List.of(new PackedMember(name(i), 1, "", 0)));
            }
            for (int slice = 0; slice < SampleShuffle.SLICES; slice++) {
                shuffle.sort(slice);
            }
            shuffle.end();
        } finally {
            assertThat(folder).isEmptyDirectory();
        }
    }

    private static String name(int number) {
        return "%03d.bin".formatted(number);
    }
}
