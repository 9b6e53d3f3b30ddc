package io.millrace.gateway.control;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.DoubleSupplier;

/** A watch over a total: whether it has grown lately, as far as it was looked at. Thread-safe. */
final class RecentIncreaseWatch {
    private final DoubleSupplier total;
    private final Duration length;
    private final InstantSource clock;
    private double last;
    private Instant grown = Instant.MIN;

    /** @param length how long an increase counts */
    RecentIncreaseWatch(DoubleSupplier total, Duration length, InstantSource clock) {
        this.total = total;
        this.length = length;
        this.clock = clock;
    }

    synchronized boolean isSeen() {
        double now = total.getAsDouble();
        if (now > last) {
            last = now;
            grown = clock.instant();
        }
        return grown.plus(length).isAfter(clock.instant());
    }
}
