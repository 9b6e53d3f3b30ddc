package io.millrace.gateway.cluster;

import java.util.Arrays;
import java.util.Optional;

/** The kind of a message, as its path. */
enum PeerPath {
    LEASE("/v1/lease"),
    ANNOUNCEMENTS("/v1/announcements"),
    GOODBYE("/v1/goodbye"),
    REVOCATIONS("/v1/revocations"),
    /** A relayed read. */
    OBJECTS("/v1/objects"),
    /** A control call that the member does for itself. */
    CALLS("/v1/calls"),
    /** The question whether the member lives. */
    ALIVE("/v1/alive");

    private final String text;

    PeerPath(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    static Optional<PeerPath> of(String text) {
        return Arrays.stream(values()).filter(path -> path.text.equals(text)).findFirst();
    }
}
