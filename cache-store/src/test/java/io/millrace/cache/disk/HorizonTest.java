package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A head that is believed too early is an old object served as the current one. */
class HorizonTest {
    private final Horizon horizon = new Horizon(2);

    @Test
    void nothingIsBelievedBeforeEachDiskHasToldWhatItHas() {
        horizon.expect(List.of(10L, 20L));
        horizon.read(20);
        horizon.read(10);
        assertThat(horizon.highest()).isEqualTo(Long.MAX_VALUE);

        horizon.expect(List.of());

        assertThat(horizon.highest()).isZero();
    }

    @Test
    void itIsTheHighestOfWhatIsNotRead() {
        horizon.expect(List.of(10L, 30L, 30L));
        horizon.expect(List.of(20L));
        assertThat(horizon.highest()).isEqualTo(30);

        horizon.read(30);
        horizon.read(10);
        assertThat(horizon.highest()).isEqualTo(30);
        horizon.read(30);
        assertThat(horizon.highest()).isEqualTo(20);
        horizon.read(20);
        assertThat(horizon.highest()).isZero();
    }
}
