package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The order of each member's lease requests, by which one that was captured and is sent again long after is noticed:
 * it would end the session of the member that had sent it. Thread-safe.
 */
final class RequestOrder {
    /** The most by which a request may have been signed before the newest one: nobody waits for a response as long. */
    static final Duration MOST_EARLIER = Duration.ofSeconds(5);

    private final PeerClock clock;

    /** The time for which the newest one counts: a clock that was set back is believed after that. */
    private final Duration memory;

    private final Map<String, Newest> newest = new ConcurrentHashMap<>();

    private record Newest(long signedAt, long acceptedAt) {}

    RequestOrder(PeerClock clock, Duration memory) {
        this.clock = clock;
        this.memory = memory;
    }

    /**
     * Returns whether a request of a member may be its next one.
     *
     * @param signedAt the time at which it was signed, in seconds since 1970
     */
    boolean isNext(String member, long signedAt) {
        Newest before = newest.get(member);
        return before == null || isForgotten(before) || signedAt >= before.signedAt() - MOST_EARLIER.toSeconds();
    }

    private boolean isForgotten(Newest before) {
        return clock.nanoTime() - before.acceptedAt() >= memory.toNanos();
    }

    /** Notes the request of a member; only of one on the list, so that these are few. */
    void accept(String member, long signedAt) {
        Newest now = new Newest(signedAt, clock.nanoTime());
        newest.merge(
                member,
                now,
                (before, next) -> isForgotten(before) || next.signedAt() >= before.signedAt()
                        ? next
                        : new Newest(before.signedAt(), next.acceptedAt()));
    }
}
