package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The gateway as its operators see it. It names every backend, so no right in some buckets is enough. */
@RestController
@RequestMapping("/api/v1/status")
final class StatusController {
    private final AccessPolicy policy;
    private final Supplier<GatewayStatus> status;

    StatusController(AccessPolicy policy, Supplier<GatewayStatus> status) {
        this.policy = policy;
        this.status = status;
    }

    @GetMapping
    GatewayStatus status(@RequestAttribute(Caller.WHO) Principal who) {
        if (!policy.allowsEverywhere(who, Right.ADMIN)) {
            throw ApiException.of(HttpStatus.FORBIDDEN, "The status needs the right admin on every bucket (admin:*).");
        }
        return status.get();
    }
}
