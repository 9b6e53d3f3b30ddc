package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The cluster as this member knows it.
 *
 * @param cluster the cluster's name
 * @param node this member's name
 * @param ready whether every member has confirmed this one, so that it takes writes
 * @param leaseHeld whether the leases of all members are held, so that strong buckets need no revalidation
 * @param members the other members, in order of their names
 */
public record ClusterStatus(
        String cluster, String node, boolean ready, boolean leaseHeld, List<ClusterStatus.Member> members) {
    /**
     * Another member as this one knows it.
     *
     * @param address host and port, as in the list
     * @param silence the time since it last responded; empty if it has not since this process began
     * @param confirmed whether it has confirmed that this one is on its list
     * @param listed whether this one is on its list, by its last response; empty before the first
     * @param session whether its announcements are followed
     * @param leaseHeld whether its lease is held
     * @param announcing whether it follows this one's announcements
     * @param unacknowledged the announcements that it has not acknowledged
     * @param granted the time since this member's lease was last granted to it, by this process
     * @param paused how much longer it gets no lease, because it has made writes wait; zero if it does
     * @param missed the number of buckets that it has missed and not invalidated; every bucket counts as one
     * @param refusal why it refuses this member's messages
     * @param problem why its last response did not come, a sentence; empty if it came
     */
    public record Member(
            String name,
            String address,
            Optional<Duration> silence,
            boolean confirmed,
            Optional<Boolean> listed,
            boolean session,
            boolean leaseHeld,
            boolean announcing,
            int unacknowledged,
            Optional<Duration> granted,
            Duration paused,
            int missed,
            Optional<PeerRefusal.Reason> refusal,
            Optional<String> problem) {}

    /**
     * The homes of objects, as this member has them.
     *
     * @param shares the share of all objects that each member that is heard is home of, 0 to 1; this one's too
     * @param relayed how many requests each other member has served for this one, as their home
     * @param fallbacks how many requests whose home each other member is have gone to the backend
     * @param advice what should be set otherwise, a sentence; empty if nothing is known
     */
    public record Homes(
            Map<String, Double> shares, Map<String, Long> relayed, Map<String, Long> fallbacks, String advice) {}
}
