package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.fill.FillMemoryBudget.Claim;
import io.millrace.kit.share.Party;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prefetches never take the memory that readers wait for. */
@Timeout(120)
class FillMemoryBudgetTest {
    private static final boolean QUIET = true;

    /** The clock of the budget, which stands still unless a test moves it: a slow machine ends no pause. */
    private final AtomicLong nanoTime = new AtomicLong();

    private final FillMemoryBudget budget = new FillMemoryBudget(100, nanoTime::get);

    /** Otherwise what is left waiting looks at the clock for ever. */
    @AfterEach
    void endPauses() {
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
    }

    @Test
    void prefetchGetsHalfOfTheMemoryAtMost() {
        assertThat(quiet(50).isImmediate()).isTrue();
        assertThat(quiet(1).isImmediate()).isFalse();
        assertThat(budget.isShort()).isFalse();
        assertThat(demand(50, () -> {}).isImmediate()).isTrue();
        assertThat(budget.used()).isEqualTo(100);
    }

    @Test
    void hangingBackendLeavesAQuarterToOthersThatComeLater() {
        for (int i = 0; i < 200; i++) {
            demand(1, () -> {});
        }

        assertThat(budget.used()).isBetween(70L, 76L);
        assertThat(budget.isShort("aws")).isTrue();
        assertThat(budget.isShort("other")).isFalse();
        for (int i = 0; i < 15; i++) {
            assertThat(budget.claim("other", Party.GATEWAY, 1, !QUIET, () -> {}).isImmediate())
                    .isTrue();
        }
        assertThat(budget.claim("third", Party.GATEWAY, 1, QUIET, () -> {}).isImmediate())
                .isTrue();
    }

    @Test
    void readerOfAnotherPartyWaitsForOneTurn() throws InterruptedException {
        Claim first = demand(100, () -> {});
        Order order = new Order();
        Party crowd = Party.ofIdentity("crowd");
        for (int i = 0; i < 500; i++) {
            budget.claim("aws", crowd, 50, !QUIET, order.next("crowd"));
        }
        budget.claim("aws", Party.ofIdentity("other"), 50, !QUIET, order.next("other"));

        first.release();

        order.await("a place for each of them", 2);
        assertThat(order.names).containsExactlyInAnyOrder("crowd", "other");
    }

    @Test
    void memoryThatAnotherBackendFreesIsGranted() throws InterruptedException {
        Claim other = budget.claim("other", Party.GATEWAY, 60, !QUIET, () -> {});
        demand(40, () -> {});
        Order order = new Order();
        budget.claim("aws", Party.GATEWAY, 30, !QUIET, order.next("aws"));

        other.release();

        order.await("aws", 1);
        assertThat(budget.used()).isEqualTo(70);
    }

    @Test
    void grantsReaderClaimsFirst() throws InterruptedException {
        Claim all = demand(100, () -> {});
        Order order = new Order();
        budget.claim("aws", Party.GATEWAY, 50, QUIET, order.next("quiet"));
        demand(60, order.next("demand"));

        all.release();

        order.await("demand", 1);
        assertThat(order.text()).isEqualTo("demand");
    }

    @Test
    void prefetchWaitsWhileAReaderWaits() {
        demand(90, () -> {});
        demand(20, () -> {});

        assertThat(quiet(5).isImmediate()).isFalse();
    }

    @Test
    void throttledPrefetchHasLessUntilTheThrottleEnds() throws InterruptedException {
        budget.throttlePrefetch(0.2);
        assertThat(quiet(10).isImmediate()).isTrue();
        Order order = new Order();
        assertThat(budget.claim("aws", Party.GATEWAY, 10, QUIET, order.next("later"))
                        .isImmediate())
                .isFalse();

        budget.throttlePrefetch(1);

        order.await("later", 1);
        assertThat(budget.used()).isEqualTo(20);
    }

    @Test
    void oneAtATimeIsLetThroughHoweverSlow() throws InterruptedException {
        budget.throttlePrefetch(0);
        Claim first = quiet(10);
        assertThat(first.isImmediate()).isTrue();
        Order order = new Order();
        budget.claim("aws", Party.GATEWAY, 10, QUIET, order.next("next"));

        first.release();
        nanoTime.addAndGet(Duration.ofMillis(100).toNanos());

        order.await("next", 1);
    }

    @Test
    void stronglyThrottledPrefetchPausesBetweenBlocks() throws InterruptedException {
        budget.throttlePrefetch(Double.MIN_VALUE);
        Claim first = quiet(10);
        assertThat(first.isImmediate()).isTrue();
        Order order = new Order();
        budget.claim("aws", Party.GATEWAY, 10, QUIET, order.next("next"));

        first.release();

        nanoTime.addAndGet(Duration.ofMillis(50).toNanos());
        budget.throttlePrefetch(Double.MIN_VALUE);
        assertThat(budget.used()).as("granted during the pause").isZero();
        nanoTime.addAndGet(Duration.ofMillis(50).toNanos());
        order.await("next", 1);
    }

    @Test
    void readersPassWhoPauses() {
        budget.throttlePrefetch(Double.MIN_VALUE);
        quiet(10).release();
        assertThat(quiet(10).isImmediate()).isFalse();

        assertThat(demand(100, () -> {}).isImmediate()).isTrue();
    }

    @Test
    void pausesEndWhenHeNeedNotBeSlow() throws InterruptedException {
        budget.throttlePrefetch(Double.MIN_VALUE);
        quiet(10).release();
        Order order = new Order();
        budget.claim("aws", Party.GATEWAY, 10, QUIET, order.next("next"));

        budget.throttlePrefetch(1);

        order.await("next", 1);
        assertThat(quiet(10).isImmediate()).isTrue();
    }

    @Test
    void promotedClaimOvertakes() throws InterruptedException {
        Claim held = quiet(50);
        Order order = new Order();
        budget.claim("aws", Party.GATEWAY, 40, QUIET, order.next("first"));
        Claim second = budget.claim("aws", Party.GATEWAY, 40, QUIET, order.next("second"));

        second.promote();

        order.await("second", 1);
        assertThat(order.text()).isEqualTo("second");
        held.release();
        order.await("secondfirst", 2);
        assertThat(budget.used()).isEqualTo(80);
    }

    @Test
    void promotedClaimCountsAsAReaders() {
        Claim held = quiet(50);

        held.promote();

        assertThat(quiet(50).isImmediate()).isTrue();
        held.release();
        assertThat(budget.used()).isEqualTo(50);
    }

    @Test
    void releasedClaimCannotBePromoted() {
        Claim gone = quiet(50);
        gone.release();

        gone.promote();

        assertThat(quiet(50).isImmediate()).isTrue();
        assertThat(quiet(1).isImmediate()).isFalse();
    }

    @Test
    void oneThatIsTooLargeHasItAlone() {
        Claim large = quiet(1000);

        assertThat(large.isImmediate()).isTrue();
        assertThat(demand(1, () -> {}).isImmediate()).isFalse();
        large.release();
        assertThat(budget.used()).isEqualTo(1);
    }

    private Claim quiet(long bytes) {
        return budget.claim("aws", Party.GATEWAY, bytes, QUIET, () -> {});
    }

    private Claim demand(long bytes, Runnable reserved) {
        return budget.claim("aws", Party.GATEWAY, bytes, !QUIET, reserved);
    }

    /** Records the order in which claims are granted. */
    private static final class Order {
        private final List<String> names = new CopyOnWriteArrayList<>();
        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch second = new CountDownLatch(2);

        Runnable next(String name) {
            return () -> {
                names.add(name);
                first.countDown();
                second.countDown();
            };
        }

        void await(String expected, int count) throws InterruptedException {
            assertThat((count == 1 ? first : second).await(60, TimeUnit.SECONDS))
                    .as(expected)
                    .isTrue();
        }

        String text() {
            return String.join("", names);
        }
    }
}
