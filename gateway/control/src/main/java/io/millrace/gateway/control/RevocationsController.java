package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/revocations}: revokes credentials, for administrators.
 *
 * @param onChange stops jobs whose owner is revoked; called once a revocation is in force, perhaps before it is on disk
 */
@RestController
@RequestMapping("/api/v1/revocations")
record RevocationsController(ControlAuthorizer callers, RevocationLog revocations, Runnable onChange) {
    private static final Logger log = LoggerFactory.getLogger(RevocationsController.class);

    /** The response that lists revocations, by target and name. */
    record RevocationList(List<RevocationView> revocations) {
        RevocationList {
            revocations = List.copyOf(revocations);
        }
    }

    @GetMapping
    RevocationList list(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireAdmin(principal, "The list of revocations");
        return new RevocationList(
                revocations.all().stream().map(RevocationView::of).toList());
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    Mono<RevocationView> revoke(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestBody RevocationRequest request,
            ServerWebExchange exchange) {
        callers.requireAdmin(principal, "A revocation");
        RevocationTarget target = target(request.target());
        String name = Optional.ofNullable(request.name()).orElse("");
        Mono<Revocation> stored;
        try {
            stored = revocations.revoke(target, name, request.before());
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            throw ApiException.invalidField(why.contains("before") ? "before" : "name", why);
        } catch (IllegalStateException e) {
            throw ApiException.of(HttpStatus.TOO_MANY_REQUESTS, String.valueOf(e.getMessage()));
        }
        onChange.run();
        noteInAudit(exchange, target, name);
        log.info("'{}' revoked {} {}", principal.name(), RevocationView.text(target), LogSanitizer.escape(name));
        return stored.map(RevocationView::of).onErrorMap(IOException.class, RevocationsController::notDurable);
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> lift(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam(name = "target", defaultValue = "") String targetName,
            @RequestParam(name = "name", defaultValue = "") String name,
            ServerWebExchange exchange) {
        callers.requireAdmin(principal, "Lifting a revocation");
        RevocationTarget target = target(targetName);
        Mono<Boolean> lifted;
        try {
            lifted = revocations.lift(target, name);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalidField("name", String.valueOf(e.getMessage()));
        }
        noteInAudit(exchange, target, name);
        return lifted.onErrorMap(
                        IOException.class,
                        e -> ApiException.of(
                                HttpStatus.INSUFFICIENT_STORAGE,
                                "The revocation stays, because the data folder cannot be written (%s)."
                                        .formatted(e.getMessage())))
                .doOnNext(was -> {
                    if (!was) {
                        throw ApiException.of(HttpStatus.NOT_FOUND, "There is no such revocation.");
                    }
                    log.info(
                            "'{}' lifted the revocation of {} {}",
                            principal.name(),
                            RevocationView.text(target),
                            LogSanitizer.escape(name));
                })
                .then();
    }

    private static void noteInAudit(ServerWebExchange exchange, RevocationTarget target, String name) {
        exchange.getAttributes()
                .put(
                        ApiAuditFilter.DETAIL_ATTRIBUTE,
                        name.isEmpty() ? RevocationView.text(target) : RevocationView.text(target) + ' ' + name);
    }

    private static RevocationTarget target(@Nullable String text) {
        return Arrays.stream(RevocationTarget.values())
                .filter(target -> RevocationView.text(target).equals(text))
                .findFirst()
                .orElseThrow(
                        () -> ApiException.invalidField("target", "is session, identity, sessions-of, role or all"));
    }

    private static ApiException notDurable(IOException failure) {
        return ApiException.of(
                HttpStatus.INSUFFICIENT_STORAGE,
                ("It holds, but only until the next start: the data folder cannot be written (%s). Mend that, and send"
                                + " it again.")
                        .formatted(failure.getMessage()));
    }
}
