package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how late event loops run their tasks. Anything that blocks an event loop, disks above all, delays all its
 * clients and shows here.
 */
public final class EventLoopLag {
    private static final Duration PERIOD = Duration.ofMillis(50);

    /** The histogram bounds: unnoticeable, noticeable to a client, and a standstill. */
    private static final Duration[] BOUNDS = {
        Duration.ofMillis(10), Duration.ofMillis(50), Duration.ofMillis(250), Duration.ofSeconds(1)
    };

    /** The weight of a sample in the moving average, as a divisor. */
    private static final int LATELY = 16;

    private final Timer lag;
    private final AtomicLong lately = new AtomicLong();

    public EventLoopLag(MeterRegistry registry) {
        lag = Timer.builder(MeterName.LOOP_LAG.wireName())
                .description(MeterName.LOOP_LAG.description())
                .serviceLevelObjectives(BOUNDS)
                .register(registry);
    }

    /** Starts measuring each of these loops, until it ends. */
    public void watch(EventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            later(loop);
        }
    }

    /** Returns the recent lag in nanoseconds: a moving average over about a second. */
    public long lately() {
        return lately.get();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a loop that ends takes nothing more, and needs no measuring
    private void later(EventExecutor loop) {
        if (loop.isShuttingDown()) {
            return;
        }
        long due = System.nanoTime() + PERIOD.toNanos();
        loop.schedule(
                () -> {
                    long late = Math.max(0, System.nanoTime() - due);
                    lag.record(late, TimeUnit.NANOSECONDS);
                    lately.updateAndGet(before -> before + (late - before) / LATELY);
                    later(loop);
                },
                PERIOD.toNanos(),
                TimeUnit.NANOSECONDS);
    }
}
