package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Serves {@code /api/v1/backends}: the health and load of each backend. */
@RestController
@RequestMapping("/api/v1/backends")
record BackendsController(ControlAuthorizer callers, Supplier<Mono<List<BackendStatus>>> backends) {
    /** The response that lists all backends, sorted by name. */
    record BackendList(List<BackendStatus> backends) {}

    @GetMapping
    Mono<BackendList> backends(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireView(principal, "The list of backends");
        return backends.get().map(BackendList::new);
    }
}
