package io.millrace.gateway.cluster;

import java.time.Duration;

/**
 * The times of a member's leases.
 *
 * @param lease how long a member may use its cache after it has requested another one's lease; equal at all members
 * @param longest the longest lease of this member that others may hold when its process starts, from the one before; at
 *     least {@code lease}
 */
record LeaseTerms(Duration lease, Duration longest) {
    /** The terms of a member that never had a longer lease. */
    LeaseTerms(Duration lease) {
        this(lease, lease);
    }

    /** Returns the time from one request to the next. */
    public Duration period() {
        return lease.dividedBy(4);
    }

    /**
     * Returns after what time a granted lease is over at a member whose clock is slower: two clocks that are wrong by
     * 5 % each differ by 10.6 %.
     */
    public Duration expiry() {
        return expiry(lease);
    }

    /** Returns after what time from its start a process can be sure that the leases of those before it are over. */
    public Duration expiryAtStart() {
        return expiry(longest);
    }

    private static Duration expiry(Duration lease) {
        return lease.multipliedBy(9).dividedBy(8);
    }
}
