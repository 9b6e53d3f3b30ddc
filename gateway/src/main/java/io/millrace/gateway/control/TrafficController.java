package io.millrace.gateway.control;

import io.millrace.auth.Principal;
import io.millrace.gateway.observe.TrafficHistory;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What went through in the last hours. */
@RestController
@RequestMapping("/api/v1/traffic")
final class TrafficController {
    private final Operators operators;
    private final TrafficHistory history;

    TrafficController(Operators operators, TrafficHistory history) {
        this.operators = operators;
        this.history = history;
    }

    @GetMapping
    Traffic traffic(@RequestAttribute(Caller.WHO) Principal who, @RequestParam(defaultValue = "60") int minutes) {
        operators.require(who, "The traffic");
        if (minutes < 1 || minutes > TrafficHistory.LONGEST.toMinutes()) {
            throw ApiException.field("minutes", "is 1 to " + TrafficHistory.LONGEST.toMinutes());
        }
        Duration length = Duration.ofMinutes(minutes);
        Duration step = length.compareTo(TrafficHistory.FINE) > 0 ? TrafficHistory.LONG_STEP : TrafficHistory.STEP;
        return new Traffic(step.toSeconds(), history.last(length));
    }
}
