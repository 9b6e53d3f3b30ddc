package io.millrace.gateway.jobs.plan;

import java.util.Locale;

/** The treatment of objects that the target has already. */
public enum OverwriteMode {
    /** Copies objects that the target lacks. */
    IF_ABSENT,
    /** Copies objects that the target lacks, or has with another size or an earlier date. */
    IF_CHANGED,
    /** Copies all objects. */
    ALWAYS;

    /** Returns the word that requests use. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
