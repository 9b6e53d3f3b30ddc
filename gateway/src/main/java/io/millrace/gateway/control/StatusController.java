package io.millrace.gateway.control;

import io.millrace.auth.Principal;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The gateway as its operators see it. */
@RestController
@RequestMapping("/api/v1/status")
final class StatusController {
    private final Operators operators;
    private final Supplier<GatewayStatus> status;

    StatusController(Operators operators, Supplier<GatewayStatus> status) {
        this.operators = operators;
        this.status = status;
    }

    @GetMapping
    GatewayStatus status(@RequestAttribute(Caller.WHO) Principal who) {
        operators.require(who, "The status");
        return status.get();
    }
}
