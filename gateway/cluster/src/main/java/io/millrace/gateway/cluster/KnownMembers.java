package io.millrace.gateway.cluster;

import java.util.Map;
import java.util.Set;

/**
 * The record of a member's list of members.
 *
 * @param members the other members on the list
 * @param confirmed those of them that have this one on their list, as far as it knows
 * @param goodbyes those that have stopped and owed nothing, each with the process that stopped
 */
record KnownMembers(Set<String> members, Set<String> confirmed, Map<String, Long> goodbyes) {
    /** The record of a new member. */
    public static final KnownMembers EMPTY = new KnownMembers(Set.of(), Set.of(), Map.of());
}
