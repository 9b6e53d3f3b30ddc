package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests that prefetches slow down only while clients send requests and event loops lag. */
class PrefetchThrottleTest {
    private final AtomicLong ended = new AtomicLong();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicLong late = new AtomicLong();
    private final List<Double> reported = new ArrayList<>();
    private final PrefetchThrottle courtesy = new PrefetchThrottle(ended::get, inFlight::get, late::get, reported::add);

    @Test
    void withoutReadersItIsAsFastAsItCan() {
        late.set(TimeUnit.SECONDS.toNanos(1));

        steps(20);

        assertThat(reported).isEmpty();
    }

    @Test
    void withReadersOnAMachineWithRoomToo() {
        inFlight.set(1);
        late.set(TimeUnit.MICROSECONDS.toNanos(500));

        steps(20);

        assertThat(reported).isEmpty();
    }

    @Test
    void halvesPrefetchWhileEventLoopsLag() {
        inFlight.set(1);
        late.set(TimeUnit.MILLISECONDS.toNanos(20));
        steps(3);
        assertThat(reported).containsExactly(0.5, 0.25, 0.125);

        late.set(0);
        steps(10);

        assertThat(reported).endsWith(1.0).hasSize(13);
    }

    @Test
    void readersAreSeenByTheirRequestsThatEndedToo() {
        late.set(TimeUnit.MILLISECONDS.toNanos(20));
        ended.incrementAndGet();

        steps(1);

        assertThat(reported).containsExactly(0.5);
    }

    @Test
    void itComesBackFasterWhenNoReaderIsLeft() {
        inFlight.set(1);
        late.set(TimeUnit.MILLISECONDS.toNanos(20));
        steps(4);
        reported.clear();

        inFlight.set(0);
        steps(10);

        assertThat(reported).containsExactly(0.25, 1.0);
    }

    @Test
    void itNeverStandsStill() {
        inFlight.set(1);
        late.set(TimeUnit.SECONDS.toNanos(1));

        steps(100);

        assertThat(reported).last().satisfies(share -> assertThat(share).isPositive());
        assertThat(reported).hasSize(20);
    }

    private void steps(int count) {
        for (int i = 0; i < count; i++) {
            courtesy.step();
        }
    }
}
