package io.millrace.gateway.control.status;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/whoami}: the identity of the caller, so that the console shows only what it may request. */
@RestController
@RequestMapping("/api/v1/whoami")
public final class WhoAmIController {
    private final OperatorPolicy operators;

    public WhoAmIController(OperatorPolicy operators) {
        this.operators = operators;
    }

    /**
     * The identity of the caller.
     *
     * @param name of the identity
     * @param operator whether it has {@code admin} on every bucket, which traffic, disks and backends require
     */
    public record CallerIdentity(String name, boolean operator) {}

    @GetMapping
    CallerIdentity principal(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        return new CallerIdentity(principal.name(), operators.isOperator(principal));
    }
}
