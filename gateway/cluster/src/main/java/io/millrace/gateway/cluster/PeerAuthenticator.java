package io.millrace.gateway.cluster;

import io.millrace.gateway.cluster.PeerRefusal.Reason;
import java.time.Duration;
import java.time.InstantSource;

/**
 * Decides by its head alone whether a request is of a member and meant for this one. One that is repeated is let
 * through: the protocol bears that messages arrive twice, and {@link RequestOrder} tells those that come very late.
 * Thread-safe.
 */
final class PeerAuthenticator {
    /** The most by which the clocks of two members may differ. */
    static final Duration MOST_APART = Duration.ofMinutes(15);

    private final String cluster;
    private final String node;
    private final PeerKey key;
    private final InstantSource clock;

    PeerAuthenticator(String cluster, String node, PeerKey key, InstantSource clock) {
        this.cluster = cluster;
        this.node = node;
        this.key = key;
        this.clock = clock;
    }

    /** Requires that a request proves what it says of itself, and that it is meant for this member at this time. */
    void require(String path, PeerCredential.Proven request) throws RefusedMessageException {
        PeerCredential credential = request.credential();
        if (!credential.cluster().equals(cluster)) {
            throw new RefusedMessageException(Reason.OTHER_CLUSTER, "");
        }
        if (!PeerKey.isSame(request.proof(), key.proof(path, credential))) {
            throw new RefusedMessageException(Reason.OTHER_SECRET, "");
        }
        long apart = Math.abs(clock.instant().getEpochSecond() - credential.seconds());
        if (apart > MOST_APART.toSeconds()) {
            throw new RefusedMessageException(Reason.OTHER_TIME, apart + " seconds");
        }
        if (!credential.to().equals(node)) {
            throw new RefusedMessageException(Reason.OTHER_MEMBER, node + " is there");
        }
    }
}
