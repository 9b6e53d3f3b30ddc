package io.millrace.gateway.control;

import io.millrace.auth.Principal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells callers who they are, so that a page need not try what it may not. */
@RestController
@RequestMapping("/api/v1/whoami")
final class WhoController {
    private final Operators operators;

    WhoController(Operators operators) {
        this.operators = operators;
    }

    /**
     * @param name of the identity
     * @param operator whether it has {@code admin} on every bucket, which traffic, disks and backends take
     */
    record Who(String name, boolean operator) {}

    @GetMapping
    Who who(@RequestAttribute(Caller.WHO) Principal who) {
        return new Who(who.name(), operators.has(who));
    }
}
