package io.millrace.gateway.control;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.time.Duration;

/**
 * The settings of a schedule.
 *
 * @param startWithin 1 minute to 7 days
 */
public record ScheduleSettings(
        @SettingDescription(
                value = "When the job is submitted, in cron's five fields: minute, hour, day of the month, month, day"
                        + " of the week. Both days must match.",
                example = "\"30 3 * * MON-FRI\"")
        String cron,

        @SettingDescription(
                value = "The time zone of cron. By its clock each time comes once, also when that is set forward or"
                        + " back.",
                defaultValue = "UTC",
                example = "Europe/Berlin")
        String zone,

        @SettingDescription("The identity that submits the job and owns it. The job has its rights and no others.")
        String identity,

        @SettingDescription(
                value = "How late a time may still come if the gateway was down or the job could not be submitted."
                        + " Of several, the latest does; one that is older is missed.",
                defaultValue = "1h")
        Duration startWithin,

        @SettingDescription(
                value = "The job, as POST /api/v1/jobs takes it (docs/jobs.md), without a clientToken.",
                example = "{ kind: prefetch, from: { bucket: imagenet, prefix: train/ } }")
        ScheduledJob job) {
    private static final Duration SHORTEST = Duration.ofMinutes(1);

    /** Bounds the search for times that were missed. */
    private static final Duration LONGEST = Duration.ofDays(7);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if they are no times
     */
    public ScheduleSettings {
        if (startWithin.compareTo(SHORTEST) < 0 || startWithin.compareTo(LONGEST) > 0) {
            throw new RefusedSettingException("start-within", "is not between 1m and 168h", "write a time such as 1h");
        }
        try {
            CronTimes.zone(zone);
        } catch (IllegalArgumentException e) {
            throw new RefusedSettingException("zone", message(e), "write UTC, or a zone such as Europe/Berlin");
        }
        try {
            CronTimes.of(cron, CronTimes.zone(zone));
        } catch (IllegalArgumentException e) {
            throw new RefusedSettingException(
                    "cron",
                    message(e),
                    "write minute, hour, day of the month, month and day of the week, as \"30 3 * * *\"");
        }
    }

    private static String message(IllegalArgumentException e) {
        return String.valueOf(e.getMessage());
    }

    CronTimes times() {
        return CronTimes.of(cron, CronTimes.zone(zone));
    }

    /** Returns whether the times are those of other settings. */
    boolean hasTimesOf(ScheduleSettings other) {
        return cron.equals(other.cron) && zone.equals(other.zone);
    }
}
