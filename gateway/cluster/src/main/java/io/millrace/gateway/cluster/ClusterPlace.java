package io.millrace.gateway.cluster;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * This gateway's place in a cluster, as its settings have it.
 *
 * @param cluster the cluster's name, equal at all members, of {@link #isName}
 * @param node this member's name, of {@link #isName}
 * @param members all members; with or without this one, whose entry is ignored
 * @param listen where this one listens for the others; port 0 for any that is free
 * @param secret equal at all members; at least 16 characters
 * @param lease how long a member may use its cache of strong buckets without the others, equal at all members; 1 to 60
 *     seconds
 */
public record ClusterPlace(
        String cluster,
        String node,
        List<PeerAddress> members,
        InetSocketAddress listen,
        String secret,
        Duration lease) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,252}[A-Za-z0-9])?");

    /** Returns whether a text can be the name of a cluster or of a member: letters, digits, inner {@code . _ -}. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Hides the secret. */
    @Override
    public String toString() {
        return "%s in %s".formatted(node, cluster);
    }
}
