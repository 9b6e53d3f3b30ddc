package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.resilience.CircuitBreaker.Admission;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private final AtomicLong now =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(2).toNanos());
    private final CircuitBreaker breaker = new CircuitBreaker(now::get);

    @Test
    void suspectsAfterFailuresWithoutSuccess() {
        assertThat(fail(9, Duration.ofMillis(200))).isZero();

        assertThat(fail(1, Duration.ZERO)).isEqualTo(1);

        assertThat(breaker.admit()).as("until a probe fails too").isEqualTo(Admission.NORMAL);
        assertThat(breaker.lastFailure()).contains("down");
    }

    @Test
    void opensWhenAProbeFailsToo() {
        fail(10, Duration.ofMillis(200));

        assertThat(breaker.open()).isTrue();

        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.admit()).isEqualTo(Admission.REFUSED);
        assertThat(breaker.open()).as("is open").isFalse();
    }

    @Test
    void failedProbeWithoutSuspicionDoesNotOpenIt() {
        fail(9, Duration.ofSeconds(1));
        assertThat(breaker.open()).isFalse();
        fail(1, Duration.ofSeconds(1));
        breaker.succeeded();

        assertThat(breaker.open()).as("after a success").isFalse();
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void wantsOneProbeASecondWhileSuspected() {
        fail(10, Duration.ofMillis(200));

        assertThat(fail(10_000, Duration.ofMillis(1))).isBetween(9, 10);
    }

    @Test
    void shortBurstOfFailuresIsNoSuspicion() {
        assertThat(fail(1000, Duration.ofNanos(100))).isZero();
    }

    @Test
    void backendThatFailsMostRequestsIsNotSuspected() {
        for (int i = 0; i < 1000; i++) {
            assertThat(fail(9, Duration.ofSeconds(1))).isZero();
            breaker.succeeded();
        }
    }

    @Test
    void suspectsAfterFiveSecondsOfNothingButThrottling() {
        assertThat(throttle(24, Duration.ofMillis(200))).isZero();
        breaker.succeeded();
        assertThat(throttle(25, Duration.ofMillis(200)))
                .as("the success began the time anew")
                .isZero();

        assertThat(throttle(1, Duration.ZERO)).isEqualTo(1);
    }

    @Test
    void throttlingBeforeAPauseDoesNotCount() {
        throttle(9, Duration.ofMillis(1));
        now.addAndGet(Duration.ofHours(8).toNanos());

        assertThat(throttle(20, Duration.ofMillis(1))).isZero();
    }

    @Test
    void throttlingBetweenFailuresIsNoSuccess() {
        int suspicions = 0;
        for (int i = 0; i < 10; i++) {
            suspicions += fail(1, Duration.ofMillis(100));
            throttle(1, Duration.ofMillis(100));
        }

        assertThat(suspicions).isEqualTo(1);
    }

    @Test
    void throttlingKeepsItOpen() {
        openIt();

        throttle(1, Duration.ZERO);

        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void wantsOneProbeASecondWhileOpen() {
        openIt();

        int probes = 0;
        for (int i = 0; i < 10_000; i++) {
            now.addAndGet(Duration.ofMillis(1).toNanos());
            probes += breaker.admit() == Admission.PROBE ? 1 : 0;
        }

        assertThat(probes).isBetween(9, 10);
    }

    @Test
    void firstSuccessClosesIt() {
        openIt();

        breaker.succeeded();

        assertThat(breaker.admit()).isEqualTo(Admission.NORMAL);
    }

    private void openIt() {
        fail(10, Duration.ofMillis(200));
        breaker.open();
    }

    /** Returns how many probes it wanted. */
    private int throttle(int times, Duration apart) {
        return repeat(times, apart, () -> breaker.throttled("503"));
    }

    /** Returns how many probes it wanted. */
    private int fail(int times, Duration apart) {
        return repeat(times, apart, () -> breaker.failed("down"));
    }

    private int repeat(int times, Duration apart, BooleanSupplier failure) {
        int probes = 0;
        for (int i = 0; i < times; i++) {
            probes += failure.getAsBoolean() ? 1 : 0;
            now.addAndGet(apart.toNanos());
        }
        return probes;
    }
}
