package io.millrace.gateway.cluster;

import java.util.Optional;

/**
 * The outcome of the last requests for the lease of a member.
 *
 * @param heardAt when it last responded, by the {@link PeerClock}
 * @param listed whether it had this member on its list then
 * @param stopping whether it has said that it stops
 * @param refusal why it refused the last request
 * @param problem why there was no response to the last request, a sentence
 */
record PeerContact(
        Optional<Long> heardAt,
        Optional<Boolean> listed,
        boolean stopping,
        Optional<PeerRefusal.Reason> refusal,
        Optional<String> problem) {
    /** Before the first request has ended. */
    static final PeerContact NONE =
            new PeerContact(Optional.empty(), Optional.empty(), false, Optional.empty(), Optional.empty());

    static PeerContact heard(long at, boolean listed, boolean stopping) {
        return new PeerContact(Optional.of(at), Optional.of(listed), stopping, Optional.empty(), Optional.empty());
    }
}
