package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A limit that does not hold costs money; one that holds twice costs time. */
class RateLimiterTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong now = new AtomicLong(5 * SECOND);
    private final RateLimiter limiter = new RateLimiter(100, now::get);

    @Test
    void burstIsOneSecond() {
        assertThat(limiter.reserve(100)).isNegative();
        assertThat(limiter.reserve(50)).isZero();
        assertThat(limiter.reserve(10)).isEqualTo(SECOND / 2);
        assertThat(limiter.reserve(10)).isEqualTo(SECOND * 6 / 10);
    }

    @Test
    void whatBeginsNowHasSavedNothing() {
        RateLimiter fresh = new RateLimiter(100, now::get, 0);

        assertThat(fresh.reserve(100)).isZero();
        assertThat(fresh.reserve(1)).isEqualTo(SECOND);
    }

    @Test
    void idleTimeSavesAtMostOneSecond() {
        now.addAndGet(1000 * SECOND);

        limiter.reserve(100);

        assertThat(limiter.reserve(100)).isZero();
        assertThat(limiter.reserve(1)).isEqualTo(SECOND);
    }

    @Test
    void chargeBeyondTheLimitIsADebtThatTimePays() {
        limiter.charge(100);
        assertThat(limiter.debt()).isZero();
        limiter.charge(50);
        assertThat(limiter.debt()).isEqualTo(Duration.ofMillis(500));

        now.addAndGet(SECOND / 2);

        assertThat(limiter.debt()).isZero();
    }

    @Test
    void hugeAmountWaitsWithoutOverflow() {
        limiter.reserve(Long.MAX_VALUE);

        assertThat(limiter.reserve(1)).isGreaterThan(365 * 24 * 3600 * SECOND);
    }
}
