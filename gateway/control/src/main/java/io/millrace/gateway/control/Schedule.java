package io.millrace.gateway.control;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule with what has become of its times. Immutable; what it decides is pure.
 *
 * @param after the last time that was decided on, or since when there is the schedule: no time up to it comes again
 * @param next the first time after that
 * @param retryAt when a submission that failed is tried again
 * @param last what came of the last time; null if none has come yet
 */
record Schedule(
        String name,
        ScheduleSettings settings,
        CronTimes times,
        Instant after,
        Instant next,
        Instant retryAt,
        @Nullable ScheduleOutcome last) {
    /** A clock that is set back further was wrong before: to wait until it is there again could take years. */
    private static final Duration FARTHEST_BACK = Duration.ofDays(1);

    private static final Duration RETRY = Duration.ofMinutes(1);

    static Schedule of(String name, ScheduleSettings settings, Instant after, @Nullable ScheduleOutcome last) {
        CronTimes times = settings.times();
        return new Schedule(name, settings, times, after, next(times, after), Instant.MIN, last);
    }

    private static Instant next(CronTimes times, Instant after) {
        return times.after(after).orElse(Instant.MAX);
    }

    /** Returns the schedule with other settings. Those of other times begin now. */
    Schedule with(ScheduleSettings changed, Instant now) {
        return settings.equals(changed) ? this : of(name, changed, settings.hasTimesOf(changed) ? after : now, last);
    }

    /** Returns the schedule for a clock that may have been set back. */
    Schedule at(Instant now) {
        return after.isAfter(now.plus(FARTHEST_BACK)) ? of(name, settings, now, last) : this;
    }

    boolean isDue(Instant now) {
        return !next.isAfter(now) && !retryAt.isAfter(now);
    }

    /** Returns the latest time that has come and is not too old; empty if all that have come are. */
    Optional<Instant> timeAt(Instant now) {
        return times.last(after, now.minus(settings.startWithin()), now);
    }

    /** Returns the schedule after a time was decided on. */
    Schedule passed(Instant time, ScheduleOutcome outcome) {
        return new Schedule(name, settings, times, time, next(times, time), Instant.MIN, outcome);
    }

    /** Returns the schedule after another gateway took a time. */
    Schedule elsewhere(Instant time) {
        return new Schedule(name, settings, times, time, next(times, time), Instant.MIN, last);
    }

    /** Returns the schedule after all times until now were too old, which is said of the first. */
    Schedule missed(Instant now) {
        return passed(
                now,
                ScheduleOutcome.of(
                        next,
                        ScheduleOutcome.MISSED,
                        "could not be started within %s: the gateway was down, or its job was refused"
                                .formatted(settings.startWithin()
                                        .toString()
                                        .substring(2)
                                        .toLowerCase(Locale.ROOT))));
    }

    /** Returns the schedule after a failed submission, which is tried again soon. */
    Schedule failed(Instant now, ScheduleOutcome outcome) {
        return new Schedule(name, settings, times, after, next, now.plus(RETRY), outcome);
    }
}
