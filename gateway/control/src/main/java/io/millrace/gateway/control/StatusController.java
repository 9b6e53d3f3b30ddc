package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/status}: version, cache, disks and savings, for viewers. */
@RestController
@RequestMapping("/api/v1/status")
record StatusController(ControlAuthorizer callers, Supplier<GatewayStatus> status, AlarmAcknowledgements known) {
    @GetMapping
    GatewayStatus status(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireView(principal, "The status");
        GatewayStatus now = status.get();
        return now.withAlarms(now.alarms().stream().map(known::marked).toList());
    }
}
