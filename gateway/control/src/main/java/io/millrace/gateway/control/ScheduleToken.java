package io.millrace.gateway.control;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The client token of a schedule's job: {@code schedule:NAME:TIME}, by which a time is submitted once. */
final class ScheduleToken {
    private ScheduleToken() {}

    /** Returns the beginning of the tokens of all times of a schedule. */
    static String start(String schedule) {
        return "schedule:" + schedule + ':';
    }

    static String of(String schedule, Instant time) {
        return start(schedule) + time;
    }

    /** Returns the time of a token of this schedule; empty if it has none. */
    static Optional<Instant> time(String schedule, @Nullable String token) {
        try {
            return token == null || !token.startsWith(start(schedule))
                    ? Optional.empty()
                    : Optional.of(Instant.parse(token.substring(start(schedule).length())));
        } catch (DateTimeException ofAClient) {
            return Optional.empty();
        }
    }
}
