package io.millrace.backend.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Polls conditions that other threads fulfil, every few milliseconds. A condition that does not hold in time fails the
 * test.
 */
public final class Polling {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration PERIOD = Duration.ofMillis(3);

    private Polling() {}

    /** Waits up to a minute. */
    public static void until(String what, Callable<Boolean> holds) {
        within(TIMEOUT).alias(what).until(holds);
    }

    /** Begins a wait of at most {@code timeout}. */
    public static ConditionFactory within(Duration timeout) {
        return Awaitility.await()
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(PERIOD)
                .atMost(timeout);
    }

    /** Observes that a condition holds for a while, for what must not happen and so has no signal. */
    public static void holdsFor(Duration window, Callable<Boolean> holds) {
        within(window.plus(TIMEOUT)).during(window).until(() -> {
            if (!holds.call()) {
                throw new AssertionError("did not hold for " + window);
            }
            return true;
        });
    }

    /** Waits until a counter has kept its value for a while; returns the value. */
    public static long untilStill(Duration window, LongSupplier counter) {
        long[] last = {counter.getAsLong()};
        within(TIMEOUT).pollDelay(window).pollInterval(window).until(() -> {
            long before = last[0];
            last[0] = counter.getAsLong();
            return last[0] == before;
        });
        return last[0];
    }
}
