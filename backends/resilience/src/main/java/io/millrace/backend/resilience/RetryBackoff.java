package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Decides how long to wait before a retry: exponential backoff with full jitter, longer after throttling, and at least
 * as long as the backend asks for.
 *
 * @param random from 0 to 1
 */
record RetryBackoff(DoubleSupplier random) {
    /** The longest pause that is waited for if the backend asks for it. */
    static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(10);

    private static final Duration BASE = Duration.ofMillis(50);
    private static final Duration MAX = Duration.ofSeconds(2);
    private static final Duration THROTTLED_BASE = Duration.ofMillis(500);
    private static final Duration THROTTLED_MAX = Duration.ofSeconds(5);

    /**
     * Returns the pause before the next try; empty if the backend asks for a longer one than is waited for.
     *
     * @param tries the tries so far, at least 1
     */
    Optional<Duration> pause(BackendException failure, int tries) {
        boolean throttled = failure.kind() == FailureKind.THROTTLED;
        Duration base = throttled ? THROTTLED_BASE : BASE;
        Duration max = throttled ? THROTTLED_MAX : MAX;
        long doubled = Math.min(max.toNanos(), base.toNanos() << Math.min(tries - 1, 20));
        long jittered = (long) (doubled * random.getAsDouble());
        long requested = failure.retryAfter().map(Duration::toNanos).orElse(0L);
        return requested > MAX_RETRY_AFTER.toNanos()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(requested, jittered)));
    }
}
