package io.millrace.gateway.cluster;

import java.io.IOException;

/** The failure of a message that another member has received and refused. */
public final class PeerRefusal extends IOException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a member refuses a message. */
    public enum Reason {
        /** It belongs to a cluster of another name. */
        OTHER_CLUSTER("belongs to a cluster of another name: cluster.name must be the same at all members"),
        /** It has another secret. */
        OTHER_SECRET("has another secret: cluster.secret-file must have the same content at all members"),
        /** The clocks are too far apart. */
        OTHER_TIME("has a clock that differs by more than 15 minutes: set the clocks of both"),
        /** The address is that of another member. */
        OTHER_MEMBER("is not the member at this address: correct the host and port in cluster.members"),
        /** A backend's name means different stores. */
        OTHER_STORE("has another store under the name of one of the backends: give one of them another name"),
        /** It is of an earlier release, to which this message means nothing. */
        OTHER_VERSION("is too old to read this member's messages: upgrade one release after another"),
        /** It could not read the message. */
        MALFORMED("could not read the message: look into its log");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** Returns what is wrong and what to do, as the end of a sentence that begins with the member. */
        public String text() {
            return text;
        }
    }

    public PeerRefusal(String member, Reason reason) {
        super(member + " " + reason.text());
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
