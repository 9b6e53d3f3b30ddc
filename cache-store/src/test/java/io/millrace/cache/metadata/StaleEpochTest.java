package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StaleEpochTest {
    private final List<Long> recorded = new ArrayList<>();

    @Test
    void raiseMakesOnlyEarlierEntriesStale() throws IOException {
        StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(3), 0, recorded::add);
        long before = epochs.forEntry();
        epochs.raise();
        long after = epochs.forEntry();
        assertThat(epochs.isStale(before)).isTrue();
        assertThat(epochs.isStale(after)).isFalse();
        assertThat(recorded).containsExactly(after);
    }

    @Test
    void raisesOnceAsLongAsNothingIsStored() throws IOException {
        StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(3), 0, recorded::add);
        epochs.raise();
        epochs.raise();
        assertThat(recorded).hasSize(1);
        long entry = epochs.forEntry();
        epochs.raise();
        assertThat(recorded).hasSize(2);
        assertThat(epochs.isStale(entry)).isTrue();
    }

    @Test
    void triesAgainWhatCouldNotBeRecorded() throws IOException {
        boolean[] fails = {true};
        StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(3), 0, stale -> {
            if (fails[0]) {
                throw new IOException("no disk");
            }
            recorded.add(stale);
        });
        long entry = epochs.forEntry();
        assertThatThrownBy(epochs::raise).isInstanceOf(IOException.class);
        assertThat(epochs.isStale(entry)).isTrue();
        fails[0] = false;
        epochs.raise();
        assertThat(recorded).hasSize(1);
    }

    @Test
    void everyRunBeginsAboveAllRaisesOfTheLast() throws IOException {
        StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(3), 0, recorded::add);
        epochs.raise();
        assertThat(StaleEpoch.first(4)).isGreaterThan(recorded.get(0));
    }
}
