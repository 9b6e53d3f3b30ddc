package io.millrace.gateway.control;

import io.millrace.auth.Principal;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** How the backends are. */
@RestController
@RequestMapping("/api/v1/backends")
final class BackendsController {
    private final Operators operators;
    private final Supplier<Mono<List<BackendView>>> backends;

    BackendsController(Operators operators, Supplier<Mono<List<BackendView>>> backends) {
        this.operators = operators;
        this.backends = backends;
    }

    @GetMapping
    Mono<BackendList> backends(@RequestAttribute(Caller.WHO) Principal who) {
        operators.require(who, "The list of backends");
        return backends.get().map(BackendList::new);
    }
}
