package io.millrace.auth.policy;

import java.util.Locale;

/** What somebody may do. None includes another. */
public enum Right {
    /** Read objects and their metadata. */
    READ,
    /** List keys and uploads. */
    LIST,
    /** Write objects. */
    WRITE,
    /** Delete objects. */
    DELETE,
    /** Make, delete and configure buckets, and run jobs. */
    ADMIN;

    /** The right's name in the operator's file. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
