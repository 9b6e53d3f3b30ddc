package io.millrace.cache;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads fulfil. */
public final class ThreadWaits {
    private ThreadWaits() {}

    /** Returns when it is so, or when there was time enough for it. */
    public static void until(Duration timeout, BooleanSupplier so) {
        long end = System.nanoTime() + timeout.toNanos();
        while (!so.getAsBoolean() && System.nanoTime() < end) {
            pause(5);
        }
    }

    public static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
