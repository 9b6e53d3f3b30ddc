package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A captured request is not served again, and a member whose clock is set back is heard again soon. */
class RequestOrderTest {
    private static final Duration MEMORY = Duration.ofSeconds(3);

    private final ManualTime time = new ManualTime();
    private final RequestOrder order = new RequestOrder(time, MEMORY);

    @Test
    void requestsOfOthersAreOfNoConcern() {
        order.accept("gw-1", 100);

        assertThat(order.isNext("gw-2", 1)).isTrue();
    }

    @Test
    void requestsMayOvertakeEachOther() {
        order.accept("gw-1", 100);
        order.accept("gw-1", 95);

        assertThat(order.isNext("gw-1", 95)).isTrue();
        assertThat(order.isNext("gw-1", 94)).isFalse();
    }

    @Test
    void clockThatWasSetBackIsBelievedAfterSilence() {
        order.accept("gw-1", 1000);
        time.advance(MEMORY.minusNanos(1));
        assertThat(order.isNext("gw-1", 100)).isFalse();

        time.advance(Duration.ofNanos(1));
        assertThat(order.isNext("gw-1", 100)).isTrue();
        order.accept("gw-1", 100);

        assertThat(order.isNext("gw-1", 101)).isTrue();
        assertThat(order.isNext("gw-1", 94)).isFalse();
    }
}
