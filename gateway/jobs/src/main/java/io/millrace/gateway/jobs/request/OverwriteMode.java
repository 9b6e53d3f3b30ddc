package io.millrace.gateway.jobs.request;

import java.util.Locale;

/** Which objects of a selection are copied. */
public enum OverwriteMode {
    /** Those whose names are not in the target. */
    NEW,
    /** The same, and those that have another size there, or were written later than there. */
    CHANGED,
    /** All of them. */
    ALL;

    /** As it is written in a request. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
