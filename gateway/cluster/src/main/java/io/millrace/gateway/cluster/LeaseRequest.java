package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The request of a member for another one's lease.
 *
 * @param member the name of the member that requests it
 * @param process its process, a random number
 * @param lease for how long it holds what it is granted, in whole milliseconds: another member waits as long
 * @param session the session of the other member's announcements that it follows; empty if none
 * @param durable the number in that session up to which its deletions are durable
 * @param invalidated the missed buckets that it has durably invalidated in that session, with the numbers under which
 *     it learned of them
 */
record LeaseRequest(
        String member,
        long process,
        Duration lease,
        Optional<SessionId> session,
        long durable,
        Map<BackendBucket, Long> invalidated) {}
