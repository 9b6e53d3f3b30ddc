package io.millrace.gateway.jobs.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A limit that does not hold costs money; one that holds twice costs time. */
class RateLimiterTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong now = new AtomicLong(5 * SECOND);
    private final RateLimiter pace = new RateLimiter(100, now::get);

    @Test
    void burstIsOneSecond() {
        assertThat(pace.reserve(100)).isNegative();
        assertThat(pace.reserve(50)).isZero();
        assertThat(pace.reserve(10)).isEqualTo(SECOND / 2);
        assertThat(pace.reserve(10)).isEqualTo(SECOND * 6 / 10);
    }

    @Test
    void idleTimeSavesAtMostOneSecond() {
        now.addAndGet(1000 * SECOND);

        pace.reserve(100);

        assertThat(pace.reserve(100)).isZero();
        assertThat(pace.reserve(1)).isEqualTo(SECOND);
    }

    @Test
    void hugeAmountWaitsWithoutOverflow() {
        pace.reserve(Long.MAX_VALUE);

        assertThat(pace.reserve(1)).isGreaterThan(365 * 24 * 3600 * SECOND);
    }
}
