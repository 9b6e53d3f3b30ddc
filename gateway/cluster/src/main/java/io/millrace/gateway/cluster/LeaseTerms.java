package io.millrace.gateway.cluster;

import java.time.Duration;

/**
 * The times of a cluster's leases, equal at all members.
 *
 * @param lease how long a member may use its cache after it has requested another one's lease
 */
record LeaseTerms(Duration lease) {
    /** Returns the time from one request to the next. */
    public Duration period() {
        return lease.dividedBy(4);
    }

    /**
     * Returns after what time a granted lease is over at a member whose clock is slower: two clocks that are wrong by
     * 5 % each differ by 10.6 %.
     */
    public Duration expiry() {
        return lease.multipliedBy(9).dividedBy(8);
    }
}
