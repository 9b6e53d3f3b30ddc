package io.millrace.gateway.cluster;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The failure of a message that another member has received and refused. */
public final class PeerRefusal extends IOException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** The reason for which a member refuses a message. */
    public enum Reason {
        /** It belongs to a cluster of another name. */
        OTHER_CLUSTER(401, "belongs to a cluster of another name: cluster.name must be the same at all members"),
        /** It has another secret. */
        OTHER_SECRET(401, "has another secret: cluster.secret-file must have the same content at all members"),
        /** The clocks are too far apart. */
        OTHER_TIME(403, "has a clock that differs by more than 15 minutes: set the clocks of both"),
        /** The address is that of another member. */
        OTHER_MEMBER(403, "is not at its address: correct its host and port in cluster.members"),
        /** The name of a backend means different stores. */
        OTHER_STORE(403, "has another store under the name of a backend: give one of them another name"),
        /** Its leases are longer or shorter. */
        OTHER_LEASE(
                403,
                "has another cluster.lease: stop all members, write the same one at each, and start them; until then"
                        + " strong buckets revalidate"),
        /** It is of an earlier release, to which this message means nothing. */
        OTHER_VERSION(403, "is too old to read this member's messages: upgrade by one release after another"),
        /** It could not read the message. */
        MALFORMED(400, "could not read a message: both may be too far apart in their releases");

        private final int status;
        private final String text;

        Reason(int status, String text) {
            this.status = status;
            this.text = text;
        }

        /** Returns what is wrong and what to do, as the end of a sentence that begins with the member's name. */
        public String text() {
            return text;
        }

        /** Returns the status of an HTTP response that says so. */
        int status() {
            return status;
        }

        /** Returns whether who refuses has the same key, and can prove it. */
        boolean isOfAMember() {
            return status != 401;
        }

        /** Returns the word for it in messages. */
        String wireName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Optional<Reason> of(String wireName) {
            return Arrays.stream(values())
                    .filter(reason -> reason.wireName().equals(wireName))
                    .findFirst();
        }
    }

    /** @param detail what the member has said beside the reason; empty if it could not prove that it was it */
    PeerRefusal(String member, Reason reason, String detail) {
        super(member + " " + reason.text() + (detail.isEmpty() ? "" : " (" + detail + ")"));
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
