package io.millrace.gateway.control;

import io.millrace.gateway.jobs.plan.RawJobRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The representation of a schedule in the API.
 *
 * @param cron the five fields of cron
 * @param zone the time zone of cron
 * @param owner the identity that submits its jobs and owns them
 * @param request the request for its jobs, with only its first ten keys or URLs
 * @param next when the next job is submitted; empty if that never happens
 * @param last what came of the last time; empty if none has come yet
 */
record ScheduleView(
        String name,
        String cron,
        String zone,
        String owner,
        RawJobRequest request,
        Optional<Instant> next,
        Optional<ScheduleOutcome> last) {
    private static final int KEYS = 10;

    /** The schedules that a caller may see. */
    record ScheduleList(List<ScheduleView> schedules) {
        ScheduleList {
            schedules = List.copyOf(schedules);
        }
    }

    static ScheduleView of(Schedule schedule) {
        ScheduleSettings settings = schedule.settings();
        return new ScheduleView(
                schedule.name(),
                settings.cron(),
                settings.zone(),
                settings.identity(),
                settings.job().request().brief(KEYS),
                Optional.of(schedule.next()).filter(next -> next.isBefore(Instant.MAX)),
                Optional.ofNullable(schedule.last()));
    }
}
