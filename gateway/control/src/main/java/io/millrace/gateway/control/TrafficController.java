package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.objects.monitor.ErrorHistory;
import io.millrace.gateway.objects.monitor.TrafficBreakdown;
import io.millrace.gateway.objects.monitor.TrafficDimension;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import java.time.Duration;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/traffic}: requests, bytes, latencies and errors over time, for viewers. */
@RestController
@RequestMapping("/api/v1/traffic")
record TrafficController(ControlAuthorizer callers, TrafficHistorySource history) {
    /**
     * The traffic of the last minutes or hours as a time series.
     *
     * @param stepSeconds interval between two points
     * @param points the oldest first; fewer than requested soon after a start
     */
    record TrafficSeries(long stepSeconds, List<TrafficPoint> points) {}

    @GetMapping
    TrafficSeries traffic(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam(defaultValue = "60") int minutes) {
        callers.requireView(principal, "The traffic");
        Duration length = length(minutes);
        Duration step = length.compareTo(TrafficHistorySource.FINE) > 0
                ? TrafficHistorySource.LONG_STEP
                : TrafficHistorySource.STEP;
        return new TrafficSeries(step.toSeconds(), history.last(length));
    }

    @GetMapping("/breakdown")
    TrafficBreakdown breakdown(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam(defaultValue = "") String by,
            @RequestParam(defaultValue = "60") int minutes) {
        callers.requireView(principal, "The traffic");
        TrafficDimension dimension = TrafficDimension.find(by)
                .orElseThrow(() -> ApiException.invalidField("by", "is operation, backend or bucket"));
        return history.breakdown(dimension, length(minutes));
    }

    @GetMapping("/errors")
    ErrorHistory errors(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam(defaultValue = "60") int minutes) {
        callers.requireView(principal, "The traffic");
        return history.errors(length(minutes));
    }

    private static Duration length(int minutes) {
        if (minutes < 1 || minutes > TrafficHistorySource.LONGEST.toMinutes()) {
            throw ApiException.invalidField("minutes", "is 1 to " + TrafficHistorySource.LONGEST.toMinutes());
        }
        return Duration.ofMinutes(minutes);
    }
}
