package io.millrace.backend.file;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Polls until a condition set by other threads holds. */
final class Polling {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private Polling() {}

    static void until(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not in %s: %s".formatted(PATIENCE, what));
            }
            Thread.onSpinWait();
        }
    }
}
