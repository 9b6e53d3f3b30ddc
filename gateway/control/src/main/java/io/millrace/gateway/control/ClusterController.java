package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/cluster}: what this gateway knows of the other members, for viewers. */
@RestController
@RequestMapping("/api/v1/cluster")
record ClusterController(ControlAuthorizer callers, Supplier<Optional<ClusterView>> cluster) {
    @GetMapping
    ClusterView cluster(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireView(principal, "The state of the cluster");
        return cluster.get()
                .orElseThrow(() -> ApiException.of(
                        HttpStatus.NOT_FOUND, "This gateway is in no cluster: its settings have no section cluster."));
    }
}
