package io.millrace.gateway.control;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A thing that needs an operator.
 *
 * @param id its kind and what it is about: the same as long as it lasts, and when it comes again
 * @param kind the word of an {@link AlarmKind}
 * @param level {@code critical} if clients get errors or soon will; otherwise {@code warning}
 * @param subject what it is about, in words
 * @param state what is wrong with it, in a word or two
 * @param target the name of the backend or bucket, the path of the disk, the port of the certificate, or the id of the
 *     job; empty for the gateway as a whole
 * @param since when it was first seen at this level, to the second; of a job when it ended. Together with the id it
 *     tells one alarm from the next
 * @param message what is wrong, and what to do
 * @param acknowledged who has acknowledged it, and when; empty if nobody has since it began
 */
public record Alarm(
        String id,
        String kind,
        String level,
        String subject,
        String state,
        String target,
        Instant since,
        String message,
        Optional<Acknowledgement> acknowledged) {
    static final String CRITICAL = "critical";
    static final String WARNING = "warning";

    /** The word of an operator that an alarm is known. */
    public record Acknowledgement(String by, Instant at) {}

    public Alarm {
        // What people read and name again has no fraction.
        since = since.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns an alarm of a kind that has one state. */
    static Alarm of(AlarmKind kind, String level, String target, Instant since, String message) {
        return of(kind, level, target, kind.state(), since, message);
    }

    static Alarm of(AlarmKind kind, String level, String target, String state, Instant since, String message) {
        return new Alarm(
                target.isEmpty() ? kind.text() : kind.text() + ":" + target,
                kind.text(),
                level,
                target.isEmpty() ? kind.subject() : kind.subject() + " " + target,
                state,
                target,
                since,
                message,
                Optional.empty());
    }

    Alarm withSubject(String words) {
        return new Alarm(id, kind, level, words, state, target, since, message, acknowledged);
    }

    Alarm withAcknowledgement(Optional<Acknowledgement> known) {
        return new Alarm(id, kind, level, subject, state, target, since, message, known);
    }
}
