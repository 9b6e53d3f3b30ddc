package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.ScheduleView.ScheduleList;
import io.millrace.gateway.jobs.JobService;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/schedules}: the schedules whose jobs the caller may see. */
@RestController
@RequestMapping("/api/v1/schedules")
record SchedulesController(Schedules schedules, JobService jobs) {
    @GetMapping
    ScheduleList list(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        return new ScheduleList(schedules.all().stream()
                .map(ScheduleView::of)
                .filter(schedule -> jobs.maySee(principal, schedule.owner(), schedule.request()))
                .toList());
    }
}
