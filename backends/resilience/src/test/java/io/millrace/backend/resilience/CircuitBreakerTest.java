package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.resilience.CircuitBreaker.Admission;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private final AtomicLong now =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(2).toNanos());
    private final CircuitBreaker breaker = new CircuitBreaker(now::get);

    @Test
    void opensAfterFailuresWithoutSuccess() {
        fail(9, Duration.ofMillis(200));
        assertThat(breaker.admit()).isEqualTo(Admission.NORMAL);

        fail(1, Duration.ZERO);

        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.admit()).isEqualTo(Admission.REFUSED);
        assertThat(breaker.lastFailure()).contains("down");
    }

    @Test
    void shortBurstOfFailuresDoesNotOpenIt() {
        fail(1000, Duration.ofNanos(100));

        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void backendThatFailsMostRequestsStaysUsed() {
        for (int i = 0; i < 1000; i++) {
            fail(9, Duration.ofSeconds(1));
            breaker.succeeded();
        }

        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void opensAfterFiveSecondsOfNothingButThrottling() {
        throttle(24, Duration.ofMillis(200));
        assertThat(breaker.isOpen()).isFalse();
        breaker.succeeded();
        throttle(25, Duration.ofMillis(200));
        assertThat(breaker.isOpen()).as("the success began the time anew").isFalse();

        throttle(1, Duration.ZERO);

        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void throttlingBeforeAPauseDoesNotCount() {
        throttle(9, Duration.ofMillis(1));
        now.addAndGet(Duration.ofHours(8).toNanos());

        throttle(20, Duration.ofMillis(1));

        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void throttlingBetweenFailuresIsNoSuccess() {
        for (int i = 0; i < 10; i++) {
            fail(1, Duration.ofMillis(100));
            throttle(1, Duration.ofMillis(100));
        }

        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void throttledProbeKeepsItOpen() {
        fail(10, Duration.ofMillis(200));

        throttle(1, Duration.ZERO);

        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void letsOneProbeASecondThrough() {
        fail(10, Duration.ofMillis(200));

        int probes = 0;
        for (int i = 0; i < 10_000; i++) {
            now.addAndGet(Duration.ofMillis(1).toNanos());
            probes += breaker.admit() == Admission.PROBE ? 1 : 0;
        }

        assertThat(probes).isBetween(9, 10);
    }

    @Test
    void firstSuccessClosesIt() {
        fail(10, Duration.ofMillis(200));

        breaker.succeeded();

        assertThat(breaker.admit()).isEqualTo(Admission.NORMAL);
    }

    private void throttle(int times, Duration apart) {
        for (int i = 0; i < times; i++) {
            breaker.throttled("503");
            now.addAndGet(apart.toNanos());
        }
    }

    private void fail(int times, Duration apart) {
        for (int i = 0; i < times; i++) {
            breaker.failed("down");
            now.addAndGet(apart.toNanos());
        }
    }
}
