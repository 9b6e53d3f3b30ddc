package io.millrace.gateway.control.status;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/status}: version, cache, disks and savings, for operators. */
@RestController
@RequestMapping("/api/v1/status")
public final class StatusController {
    private final OperatorPolicy operators;
    private final Supplier<GatewayStatus> status;

    public StatusController(OperatorPolicy operators, Supplier<GatewayStatus> status) {
        this.operators = operators;
        this.status = status;
    }

    @GetMapping
    GatewayStatus status(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        operators.requireOperator(principal, "The status");
        return status.get();
    }
}
