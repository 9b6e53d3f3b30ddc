package io.millrace.gateway.cluster;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statement of a request on itself in its {@code Authorization}, beside the proof of it.
 *
 * @param cluster the name of the cluster
 * @param to the name of the member that it is meant for
 * @param seconds the time at which it was sent, since 1970
 * @param nonce 32 hex digits that no other request has
 * @param bodyHash the SHA-256 of the body, 64 hex digits
 */
record PeerCredential(String cluster, String to, long seconds, String nonce, String bodyHash) {
    private static final String SCHEME = "Millrace-Peer";
    private static final Pattern HEADER = Pattern.compile(
            SCHEME + " ([^ ]{1,254}) ([^ ]{1,254}) ([0-9]{1,12}) ([0-9a-f]{32}) ([0-9a-f]{64}) ([0-9a-f]{64})");

    /** A credential as it was received, with its proof, 64 hex digits. */
    record Proven(PeerCredential credential, String proof) {}

    /** Returns the value of the header. */
    String header(String proof) {
        return String.join(" ", SCHEME, cluster, to, String.valueOf(seconds), nonce, bodyHash, proof);
    }

    /** Parses the value of the header; empty if it is none. */
    static Optional<Proven> parse(String header) {
        Matcher parts = HEADER.matcher(header);
        return parts.matches()
                ? Optional.of(new Proven(
                        new PeerCredential(
                                parts.group(1),
                                parts.group(2),
                                Long.parseLong(parts.group(3)),
                                parts.group(4),
                                parts.group(5)),
                        parts.group(6)))
                : Optional.empty();
    }
}
