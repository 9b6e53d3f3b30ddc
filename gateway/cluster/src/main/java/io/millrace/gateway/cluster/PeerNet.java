package io.millrace.gateway.cluster;

import reactor.core.publisher.Mono;

/**
 * The way to the other members. Results may never come, or come late, and messages arrive twice: the callers bear
 * that.
 */
interface PeerNet {
    /** Requests the lease of a member; empty or an error if it does not respond. */
    Mono<LeaseResponse> request(String member, LeaseRequest request);

    /** Sends announcements; completes when the member has applied them, and fails if it has not. */
    Mono<Void> announce(String member, AnnouncementBatch batch);

    /** Sends a goodbye; completes when the member has it. */
    Mono<Void> leave(String member, Goodbye goodbye);
}
