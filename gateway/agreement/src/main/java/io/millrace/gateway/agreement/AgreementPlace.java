package io.millrace.gateway.agreement;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * This gateway's place among those that agree, as the settings of its cluster have it. Names are those of the
 * cluster's members: letters, digits, inner {@code . _ -}.
 *
 * @param cluster the cluster's name, equal at all members
 * @param node this member's name
 * @param voters the same one or three members everywhere, each with {@code host:port}; IPv6 addresses in brackets
 * @param members the names of all members; only they may connect
 * @param listen where a voter listens for the others
 * @param secret the cluster's, equal at all members
 * @param folder of a voter's log, for nothing else
 */
record AgreementPlace(
        String cluster,
        String node,
        Map<String, String> voters,
        Set<String> members,
        InetSocketAddress listen,
        String secret,
        Path folder) {
    AgreementPlace {
        voters = Map.copyOf(voters);
        members = Set.copyOf(members);
        if (voters.size() != 1 && voters.size() != 3) {
            throw new IllegalArgumentException("a cluster has 1 or 3 voters, not " + voters.size());
        }
        if (!members.contains(node) || !members.containsAll(voters.keySet())) {
            throw new IllegalArgumentException("this node and all voters must be members");
        }
    }

    boolean isVoter() {
        return voters.containsKey(node);
    }

    /** Returns the voters but this one, in order. */
    Map<String, String> otherVoters() {
        Map<String, String> others = new TreeMap<>(voters);
        others.remove(node);
        return others;
    }

    /** Hides the secret. */
    @Override
    public String toString() {
        return "%s in %s".formatted(node, cluster);
    }
}
