package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/whoami}: the identity of the caller, so that the console shows only what it may request. */
@RestController
@RequestMapping("/api/v1/whoami")
record WhoAmIController(ControlAuthorizer callers, Supplier<Optional<ClusterView>> cluster) {
    /**
     * The identity of the caller.
     *
     * @param name of the identity
     * @param operator whether it has {@code admin} on every bucket
     * @param rights those on every bucket, which requests about the whole gateway need
     * @param cluster the name of the gateway's cluster; empty without one
     */
    record CallerIdentity(String name, boolean operator, List<String> rights, Optional<String> cluster) {
        CallerIdentity {
            rights = List.copyOf(rights);
        }
    }

    @GetMapping
    CallerIdentity principal(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        return new CallerIdentity(
                principal.name(),
                callers.hasEverywhere(principal, Right.ADMIN),
                callers.rightsEverywhere(principal),
                cluster.get().map(ClusterView::cluster));
    }
}
