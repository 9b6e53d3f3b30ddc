package io.millrace.gateway.cluster;

import java.io.IOException;

/** The failure of a message that this member refuses; the exception's message says what is wrong with it. */
final class RefusedMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    private final PeerRefusal.Reason reason;

    RefusedMessageException(PeerRefusal.Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static RefusedMessageException malformed(String message) {
        return new RefusedMessageException(PeerRefusal.Reason.MALFORMED, message);
    }

    PeerRefusal.Reason reason() {
        return reason;
    }
}
