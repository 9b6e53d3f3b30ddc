package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.testkit.Polling;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A loop that somebody blocks must be seen: it is the only sign that a disk stops clients. */
class EventLoopLagTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void blockedLoopShowsInTheMaximum() throws InterruptedException {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try {
            new EventLoopLag(registry).watch(loops);

            loops.next().submit(() -> pause(600)).sync();

            Polling.until(
                    "it shows",
                    () -> registry.get(MeterName.LOOP_LAG.wireName()).timer().max(TimeUnit.MILLISECONDS) > 400);
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** The duration of the fault. */
    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
