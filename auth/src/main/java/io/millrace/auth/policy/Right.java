package io.millrace.auth.policy;

import java.util.Locale;

/** A permission that a rule of an access policy grants, such as READ. No right includes another. */
public enum Right {
    /** Read objects and their metadata. */
    READ,
    /** List keys and uploads. */
    LIST,
    /** Write objects. */
    WRITE,
    /** Delete objects. */
    DELETE,
    /** Create, delete and configure buckets, and run jobs. */
    ADMIN;

    /** Returns the right's name in the operator's file. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
