package io.millrace.gateway.jobs.store;

import java.time.Instant;
import java.util.Locale;

/**
 * An event of a job between its start and its end, such as a pause or a restart.
 *
 * @param event a {@link Kind}, as text, so that an older version can read what a newer one has written
 * @param by name of the identity that wanted it; empty if nobody did
 * @param detail the reason of a failure, or what else the owner should know; empty otherwise
 */
public record JobEvent(Instant at, String event, String by, String detail) {
    /** The kinds of events of a job. */
    public enum Kind {
        PAUSED,
        RESUMED,
        CANCELLED,
        /** Failed as a whole. */
        FAILED,
        /** Interrupted, because Millrace was stopped. */
        STOPPED,
        /** Waiting to go on, after Millrace was started again. */
        RESTARTED,
        /** The same, but Millrace had ended without a stop. */
        RESTARTED_AFTER_KILL,
        /** Interrupted to go on with changed settings. */
        SETTINGS_CHANGED;

        /** Returns the word that the API uses, as {@code settings-changed}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Returns an event that an identity wanted. */
    public static JobEvent by(String identity, Kind kind, Instant now) {
        return new JobEvent(now, kind.text(), identity, "");
    }

    /** Returns an event that nobody asked for. */
    public static JobEvent of(Kind kind, String detail, Instant now) {
        return new JobEvent(now, kind.text(), "", detail);
    }

    boolean is(Kind kind) {
        return event.equals(kind.text());
    }
}
