package io.millrace.gateway.objects.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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
            pause(200);

            assertThat(registry.get(MeterName.LOOP_LAG.wireName()).timer().max(TimeUnit.MILLISECONDS))
                    .isGreaterThan(400);
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
