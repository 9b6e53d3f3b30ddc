package io.millrace.gateway.cluster;

import java.util.Map;
import java.util.Set;

/**
 * The record of what other members have missed.
 *
 * @param missed the missed buckets of each member, each with a number that no later entry of the bucket has
 * @param begun the buckets in which this process writes; empty after a clean stop
 */
record MissedRecords(Map<String, Map<BackendBucket, Long>> missed, Set<BackendBucket> begun) {
    /** The record of a new member. */
    public static final MissedRecords EMPTY = new MissedRecords(Map.of(), Set.of());
}
