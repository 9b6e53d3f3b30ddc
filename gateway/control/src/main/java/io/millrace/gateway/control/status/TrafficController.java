package io.millrace.gateway.control.status;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.request.ApiException;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.objects.monitor.TrafficSource;
import java.time.Duration;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/traffic}: requests, bytes and latencies over time, for operators. */
@RestController
@RequestMapping("/api/v1/traffic")
public final class TrafficController {
    private final OperatorPolicy operators;
    private final TrafficSource history;

    /**
     * The traffic of the last minutes or hours as a time series.
     *
     * @param stepSeconds interval between two points
     * @param points the oldest first; fewer than requested soon after a start
     */
    public record TrafficSeries(long stepSeconds, List<TrafficPoint> points) {}

    public TrafficController(OperatorPolicy operators, TrafficSource history) {
        this.operators = operators;
        this.history = history;
    }

    @GetMapping
    TrafficSeries traffic(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam(defaultValue = "60") int minutes) {
        operators.requireOperator(principal, "The traffic");
        if (minutes < 1 || minutes > TrafficSource.LONGEST.toMinutes()) {
            throw ApiException.invalidField("minutes", "is 1 to " + TrafficSource.LONGEST.toMinutes());
        }
        Duration length = Duration.ofMinutes(minutes);
        Duration step = length.compareTo(TrafficSource.FINE) > 0 ? TrafficSource.LONG_STEP : TrafficSource.STEP;
        return new TrafficSeries(step.toSeconds(), history.last(length));
    }
}
