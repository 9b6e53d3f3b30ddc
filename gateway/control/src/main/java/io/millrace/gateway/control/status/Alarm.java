package io.millrace.gateway.control.status;

import java.time.Instant;
import java.util.Optional;

/**
 * A thing that needs an operator, as the list of alarms has it.
 *
 * @param id its kind and what it is about: the same as long as it lasts, and when it comes again
 * @param kind one of {@link GatewayStatus.Alarm#kind}, or {@code backend}, {@code backend-errors}, {@code bucket}, {@code disk},
 *     {@code disk-space}, {@code disk-corrupt}, {@code disk-slow} or {@code job}
 * @param level {@code critical} if clients get errors or soon will; otherwise {@code warning}
 * @param subject what it is about, in words
 * @param state what is wrong with it, in a word or two
 * @param target the name of the backend or bucket, the path of the disk, or the id of the job; empty for the gateway as a whole
 * @param since when it was first seen; of a job when it ended
 * @param message what is wrong, and what to do
 * @param acknowledged who has acknowledged it, and when; empty if nobody has since it began
 */
public record AlarmView(
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

    static AlarmView of(AlarmKind kind, String level, String target, String state, Instant since, String message) {
        return new AlarmView(
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

    AlarmView withSubject(String words) {
        return new AlarmView(id, kind, level, words, state, target, since, message, acknowledged);
    }

    AlarmView withAcknowledgement(Optional<Acknowledgement> known) {
        return new AlarmView(id, kind, level, subject, state, target, since, message, known);
    }
}
