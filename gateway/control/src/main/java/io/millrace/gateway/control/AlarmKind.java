package io.millrace.gateway.control;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The kinds of alarms, the weightiest first: what all clients meet comes before what concerns one bucket or job. */
enum AlarmKind {
    METADATA_STORE("Metadata store", "cannot be used"),
    BACKEND("Backend", ""),
    REQUESTS("Requests", "fail"),
    CLUSTER("Cluster", "has not confirmed this member"),
    AUDIT_LOG("Audit log", "cannot be written"),
    CERTIFICATE("Certificate", "expires"),
    MEMBER_REFUSES("Member", "refuses this one"),
    MEMBER_LIST("Member", "has another list"),
    MEMBER_AWAY("Member", "is away"),
    DISK("Disk", ""),
    CONNECTIONS("Connections", "refused"),
    DISK_SPACE("Disk", "has little room"),
    DISK_CORRUPT("Disk", "corrupt records"),
    DISK_SLOW("Disk", "slow"),
    BACKEND_ERRORS("Backend", "errors"),
    CERTIFICATE_RELOAD("Certificate", "not reloaded"),
    PLACEMENT("Placement", "does not fit the balancer"),
    ACCESS_LOG("Access log", "cannot be written"),
    TRANSFORM("Transform", "fails"),
    BUCKET("Bucket", ""),
    JOB("Job", "");

    private final String subject;
    private final String state;

    AlarmKind(String subject, String state) {
        this.subject = subject;
        this.state = state;
    }

    /** Returns the word of the API, such as {@code metadata-store}. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns what it is about, in words; a name may follow. */
    String subject() {
        return subject;
    }

    /** Returns what is wrong with it, in words; empty if there are several possibilities. */
    String state() {
        return state;
    }

    static Optional<AlarmKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text().equals(text)).findFirst();
    }
}
