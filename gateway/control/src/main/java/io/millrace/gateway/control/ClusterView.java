package io.millrace.gateway.control;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The state of a cluster, as this member of it knows it.
 *
 * @param cluster the cluster's name
 * @param node this member's name
 * @param ready whether every member has confirmed this one, so that it takes writes
 * @param leaseHeld whether the leases of all members are held, so that strong buckets need no revalidation
 * @param placement its {@code cluster.placement}, which is to be the same at all members
 * @param homePercent the share of all objects that this member is home of now; empty unless objects have homes
 * @param copiedBytes the bytes that this member has stored beside their homes since it started; empty likewise
 * @param message why it is not ready; empty if it is
 * @param advice what should be set otherwise although nothing is wrong; empty if nothing is known
 * @param members the other members, in order of their names
 */
public record ClusterView(
        String cluster,
        String node,
        boolean ready,
        boolean leaseHeld,
        String placement,
        Optional<Double> homePercent,
        Optional<Long> copiedBytes,
        String message,
        String advice,
        List<MemberView> members) {
    public ClusterView {
        members = List.copyOf(members);
    }

    /** The state of another member, as far as this gateway knows it. */
    public enum MemberState {
        HEARD,
        PAUSED,
        AWAY,
        LISTS_DIFFER,
        REFUSES;

        /** Returns the word of the API, such as {@code lists-differ}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Another member.
     *
     * @param state the word of a {@link MemberState}
     * @param confirmed whether it has confirmed that this one is on its list
     * @param leaseHeld whether its lease is held
     * @param silentMillis the time since it last responded; empty if it has not since this gateway started
     * @param unacknowledged the writes that it has not acknowledged yet
     * @param missedBuckets the buckets that it has missed and not invalidated yet; all buckets together count as one
     * @param homePercent the share of all objects that it is home of now, none while it is not heard; empty unless
     *     objects have homes
     * @param relayedReads the requests that it has served for this one, as their home; empty likewise
     * @param fallbacks the requests that went to the backend although it is their home; empty likewise
     * @param message what is wrong, and what to do; empty if nothing is
     */
    public record MemberView(
            String name,
            String address,
            String state,
            boolean confirmed,
            boolean leaseHeld,
            Optional<Long> silentMillis,
            int unacknowledged,
            int missedBuckets,
            Optional<Double> homePercent,
            Optional<Long> relayedReads,
            Optional<Long> fallbacks,
            String message) {}
}
