package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Acquisition;
import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AdaptiveConcurrencyLimitTest {
    private final AtomicLong now = new AtomicLong();
    private final AdaptiveConcurrencyLimit limit = new AdaptiveConcurrencyLimit(100, now::get);
    private final List<String> events = new ArrayList<>();

    @Test
    void requestBeyondTheLimitWaitsForAPlace() {
        acquire(100);
        assertThat(limit.acquire(waiter("late"))).isEqualTo(Acquisition.QUEUED);

        limit.release();

        assertThat(events).containsExactly("late granted");
        assertThat(limit.inFlight()).isEqualTo(100);
    }

    @Test
    void throttlingLowersItAndResponsesRaiseIt() {
        acquire(50);

        limit.throttled();
        limit.throttled(); // of requests sent before the decrease

        assertThat(limit.limit()).isEqualTo(35);
        for (int i = 0; i < 36; i++) {
            limit.answered();
        }
        assertThat(limit.limit()).isEqualTo(36);
    }

    @Test
    void someRequestsPassHoweverLongItThrottles() {
        acquire(50);
        for (int i = 0; i < 100; i++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            limit.throttled();
        }

        assertThat(limit.limit()).isEqualTo(AdaptiveConcurrencyLimit.MIN);
    }

    @Test
    void placesAboveALoweredLimitAreNotGivenAway() {
        acquire(100);
        limit.throttled();
        assertThat(limit.acquire(waiter("late"))).isEqualTo(Acquisition.QUEUED);

        limit.release();

        assertThat(events).isEmpty();
        assertThat(limit.inFlight()).isEqualTo(99);
    }

    @Test
    void queueIsRefusedTogether() {
        acquire(100);
        limit.acquire(waiter("a"));
        limit.acquire(waiter("b"));

        limit.refuseWaiting();

        assertThat(events).containsExactly("a refused", "b refused");
        assertThat(limit.waiting()).isZero();
    }

    private void acquire(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(limit.acquire(waiter("early"))).isEqualTo(Acquisition.GRANTED);
        }
    }

    private Waiter waiter(String name) {
        return new Waiter() {
            @Override
            public void granted() {
                events.add(name + " granted");
            }

            @Override
            public void refused() {
                events.add(name + " refused");
            }
        };
    }
}
