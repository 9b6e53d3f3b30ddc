package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Acquisition;
import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Waiter;
import io.millrace.kit.share.Party;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AdaptiveConcurrencyLimitTest {
    private final AtomicLong now = new AtomicLong();
    private final AdaptiveConcurrencyLimit limit = new AdaptiveConcurrencyLimit(100, 150, now::get, Runnable::run);
    private final List<String> events = new ArrayList<>();

    @Test
    void requestBeyondTheLimitWaitsForAPlace() {
        acquire(100);
        assertThat(limit.acquire(waiter("late"))).isEqualTo(Acquisition.QUEUED);

        limit.release(false);

        assertThat(events).containsExactly("late granted");
        assertThat(limit.inFlight()).isEqualTo(100);
    }

    @Test
    void throttlingLowersItAndResponsesRaiseIt() {
        acquire(50);

        limit.throttled();
        limit.throttled(); // of requests sent before the decrease

        assertThat(limit.limit()).isEqualTo(35);
        for (int i = 0; i < 36; i++) {
            limit.answered();
        }
        assertThat(limit.limit()).isEqualTo(36);
    }

    @Test
    void someRequestsPassHoweverLongItThrottles() {
        acquire(50);
        for (int i = 0; i < 100; i++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            limit.throttled();
        }

        assertThat(limit.limit()).isEqualTo(AdaptiveConcurrencyLimit.MIN);
    }

    @Test
    void placesAboveALoweredLimitAreNotGivenAway() {
        acquire(100);
        limit.throttled();
        assertThat(limit.acquire(waiter("late"))).isEqualTo(Acquisition.QUEUED);

        limit.release(false);

        assertThat(events).isEmpty();
        assertThat(limit.inFlight()).isEqualTo(99);
    }

    @Test
    void placesGivenBackWhileNobodyWaitsCostNoTask() {
        AtomicInteger tasks = new AtomicInteger();
        AdaptiveConcurrencyLimit idle = new AdaptiveConcurrencyLimit(1, 1, () -> 0, task -> tasks.incrementAndGet());
        assertThat(idle.acquire(waiter("a"))).isEqualTo(Acquisition.GRANTED);

        idle.responded();
        idle.disconnected();

        assertThat(tasks).hasValue(0);
        assertThat(idle.acquire(waiter("b"))).isEqualTo(Acquisition.GRANTED);
        assertThat(idle.acquire(waiter("c"))).isEqualTo(Acquisition.QUEUED);
        idle.release(false);
        assertThat(tasks).hasValue(1);
    }

    @Test
    void queueIsRefusedTogether() {
        acquire(100);
        limit.acquire(waiter("a"));
        limit.acquire(waiter("b"));

        limit.refuseWaiting();

        assertThat(events).containsExactly("a refused", "b refused");
        assertThat(limit.waiting()).isZero();
    }

    @Test
    void placeGivenBackGoesToThePartyWhoseTurnItIs() {
        acquire(100);
        Party crowd = Party.ofIdentity("crowd");
        for (int i = 0; i < 600; i++) {
            limit.acquire(waiter(crowd, "crowd " + i));
        }
        limit.acquire(waiter(Party.ofIdentity("other"), "other"));

        limit.release(false);
        limit.release(false);

        assertThat(events).containsExactly("crowd 0 granted", "other granted");
    }

    @Test
    void onePartyDoesNotFillTheQueue() {
        acquire(100);
        Party crowd = Party.ofIdentity("crowd");
        for (int i = 0; i < AdaptiveConcurrencyLimit.MAX_WAITING / 2; i++) {
            assertThat(limit.acquire(waiter(crowd, "crowd"))).isEqualTo(Acquisition.QUEUED);
        }

        assertThat(limit.acquire(waiter(crowd, "crowd"))).isEqualTo(Acquisition.REFUSED);
        assertThat(limit.acquire(waiter(Party.ofIdentity("other"), "other"))).isEqualTo(Acquisition.QUEUED);
    }

    @Test
    void requestsWaitForAConnectionThatBringsABody() {
        acquire(100);
        for (int i = 0; i < 100; i++) {
            limit.responded();
        }
        acquire(50);

        assertThat(limit.acquire(waiter("late"))).isEqualTo(Acquisition.QUEUED);
        limit.disconnected();

        assertThat(events).containsExactly("late granted");
    }

    @Test
    void uploadsLeavePlacesToOthersHoweverLowTheLimitFalls() {
        for (int i = 0; i < 90; i++) {
            assertThat(limit.acquire(waiter(Party.GATEWAY, "upload", true))).isEqualTo(Acquisition.GRANTED);
        }
        for (int i = 0; i < 20; i++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            limit.throttled();
        }
        assertThat(limit.limit()).isEqualTo(4);

        assertThat(limit.acquire(waiter(Party.GATEWAY, "late upload", true))).isEqualTo(Acquisition.QUEUED);
        assertThat(limit.acquire(waiter("read"))).isEqualTo(Acquisition.GRANTED);
        assertThat(limit.acquire(waiter("late read"))).isEqualTo(Acquisition.QUEUED);
        limit.release(false);

        assertThat(events).containsExactly("late read granted");
    }

    @Test
    void uploadsAndOthersTakeTurns() {
        acquire(100);
        for (int i = 0; i < 2; i++) {
            limit.acquire(waiter("read"));
            limit.acquire(waiter(Party.GATEWAY, "upload", true));
        }

        for (int i = 0; i < 4; i++) {
            limit.release(false);
        }

        assertThat(events)
                .containsExactlyInAnyOrder("read granted", "read granted", "upload granted", "upload granted");
        assertThat(events.get(0)).isNotEqualTo(events.get(1));
    }

    @Test
    void requestsThatWaitedRunOnTheExecutorOnly() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        AdaptiveConcurrencyLimit one = new AdaptiveConcurrencyLimit(1, 1, now::get, tasks::add);
        assertThat(one.acquire(waiter("early"))).isEqualTo(Acquisition.GRANTED);
        for (String name : List.of("granted", "late", "later")) {
            assertThat(one.acquire(waiter(name))).isEqualTo(Acquisition.QUEUED);
        }

        one.release(false);
        assertThat(events).as("on the thread that gave a place back").isEmpty();
        tasks.remove().run();
        assertThat(events).containsExactly("granted granted");
        one.refuseWaiting();
        assertThat(events).as("on the thread that refused them").hasSize(1);
        tasks.remove().run();

        assertThat(events).containsExactly("granted granted", "late refused", "later refused");
        assertThat(tasks).isEmpty();
    }

    @Test
    void executorHasOtherTasksBetweenManyThatWaited() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        AdaptiveConcurrencyLimit crowded = new AdaptiveConcurrencyLimit(1, 1, now::get, tasks::add);
        crowded.acquire(waiter("early"));
        for (int i = 0; i < 1_000; i++) {
            crowded.acquire(waiter("late"));
        }
        crowded.refuseWaiting();
        tasks.add(() -> events.add("other task"));

        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }

        assertThat(events).hasSize(1_001);
        assertThat(events.indexOf("other task")).isLessThan(100);
    }

    @Test
    void requestThatThrowsDoesNotStopThoseBehindIt() {
        acquire(100);
        limit.acquire(throwing());
        limit.acquire(waiter("granted"));
        limit.release(false);
        limit.release(false);
        limit.acquire(throwing());
        limit.acquire(waiter("refused"));

        limit.refuseWaiting();

        assertThat(events).containsExactly("granted granted", "refused refused");
        assertThat(limit.waiting()).isZero();
    }

    @Test
    void requestsThatFailAtOnceDoNotPileUpOnTheStack() {
        acquire(100);
        for (int i = 0; i < 5_000; i++) {
            limit.acquire(new GatewaysRead() {
                @Override
                public void granted() {
                    limit.release(false);
                }

                @Override
                public void refused() {}
            });
        }

        limit.release(false);

        assertThat(limit.waiting()).isZero();
        assertThat(limit.inFlight()).isEqualTo(99);
    }

    /** A read of the gateway's own that waits. */
    private abstract static class GatewaysRead implements Waiter {
        @Override
        public Party party() {
            return Party.GATEWAY;
        }

        @Override
        public boolean isUpload() {
            return false;
        }
    }

    private static Waiter throwing() {
        return new GatewaysRead() {
            @Override
            public void granted() {
                throw new IllegalStateException("thrown by the test");
            }

            @Override
            public void refused() {
                throw new IllegalStateException("thrown by the test");
            }
        };
    }

    private void acquire(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(limit.acquire(waiter("early"))).isEqualTo(Acquisition.GRANTED);
        }
    }

    private Waiter waiter(String name) {
        return waiter(Party.GATEWAY, name);
    }

    private Waiter waiter(Party party, String name) {
        return waiter(party, name, false);
    }

    private Waiter waiter(Party party, String name, boolean upload) {
        return new Waiter() {
            @Override
            public boolean isUpload() {
                return upload;
            }

            @Override
            public Party party() {
                return party;
            }

            @Override
            public void granted() {
                events.add(name + " granted");
            }

            @Override
            public void refused() {
                events.add(name + " refused");
            }
        };
    }
}
