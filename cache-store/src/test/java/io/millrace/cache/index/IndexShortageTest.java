package io.millrace.cache.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The budget of the index is no promise of the JVM: when it has no direct memory left, the index is as full as it can
 * be.
 */
class IndexShortageTest {
    private final ScarceMemory memory = new ScarceMemory();
    private final BlockIndex index = memory.index(64 << 20);
    private final FingerprintHash hash = FingerprintHash.random();
    private int number;

    @Test
    void isFullWithoutDirectMemory() {
        fill(20_000);
        long taken = index.memory();
        memory.usedUp(true);
        fillUntilRefused();

        assertThat(index.isShortOfMemory()).isTrue();
        assertThat(index.fullness()).isGreaterThan(0.97);
        assertThat(index.memory()).isEqualTo(taken);
    }

    @Test
    void retriesAllocationOnceAMinute() {
        fill(20_000);
        memory.usedUp(true);
        fillUntilRefused();
        fill(20_000);
        assertThat(memory.attempts()).isEqualTo(1);

        memory.passes(Duration.ofMinutes(1));
        fill(20_000);
        assertThat(memory.attempts()).isEqualTo(2);
    }

    @Test
    void growsWhenThereIsMemoryAgain() {
        fill(20_000);
        memory.usedUp(true);
        fillUntilRefused();
        memory.usedUp(false);
        memory.passes(Duration.ofMinutes(1));

        assertThat(fill(100_000)).isEqualTo(100_000);
        assertThat(index.isShortOfMemory()).isFalse();
        assertThat(index.fullness()).isZero();
    }

    private void fillUntilRefused() {
        while (put()) {
            assertThat(number).isLessThan(1_000_000);
        }
    }

    private int fill(int entries) {
        int taken = 0;
        for (int i = 0; i < entries; i++) {
            taken += put() ? 1 : 0;
        }
        return taken;
    }

    private boolean put() {
        number++;
        return index.put(hash.of(Fingerprint.NONE, number), IndexEntry.of(1, 64L * (number % 1000), 64, 100));
    }
}
