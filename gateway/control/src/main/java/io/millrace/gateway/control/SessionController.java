package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.BrowserSession;
import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.SessionGrant;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/session}: gives a browser the cookie of a session for the keys of an identity, and takes it
 * away.
 */
@RestController
@RequestMapping("/api/v1/session")
record SessionController(
        Supplier<SignInAccess> access, RevocationLog revocations, TrustedProxies proxies, InstantSource clock) {
    private static final Duration LONGEST = Duration.ofHours(12);

    /** The session of a browser, whose cookie is in a header. */
    record SessionView(String name, Instant expiresAt) {}

    /** Never lasts longer than what proved the caller, which somebody may have made short on purpose. */
    @PostMapping
    ResponseEntity<SessionView> begin(
            @RequestAttribute(AuthenticatedCaller.CALLER_ATTRIBUTE) AuthenticatedCaller caller,
            ServerWebExchange exchange) {
        Principal principal = caller.principal();
        Instant now = clock.instant();
        Duration rest = caller.expiresAt().equals(Instant.MAX) ? LONGEST : Duration.between(now, caller.expiresAt());
        boolean isTemporary =
                caller.payload().isPresent() && !caller.expiresAt().equals(Instant.MAX);
        if (caller.browserSession().isPresent() || principal.isSession() || isTemporary || rest.toSeconds() < 1) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    "A session is for the keys of an identity in the settings, or a token made with them.");
        }
        BrowserSession session = access.get()
                .sessions()
                .issueToBrowser(
                        SessionGrant.toIdentity(principal.name(), principal.arn()),
                        rest.compareTo(LONGEST) < 0 ? rest : LONGEST);
        exchange.getAttributes().put(ApiAuditFilter.DETAIL_ATTRIBUTE, session.accessKey());
        boolean secure = access.get().isSecure(exchange.getRequest(), proxies);
        return ResponseEntity.ok()
                .header(
                        HttpHeaders.SET_COOKIE,
                        SessionCookies.session(
                                        session.cookie().reveal(), Duration.between(now, session.expiresAt()), secure)
                                .toString())
                .header(
                        HttpHeaders.SET_COOKIE,
                        SessionCookies.noSession(!secure).toString())
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .body(new SessionView(principal.name(), session.expiresAt()));
    }

    /**
     * Ends the session of the cookie, which somebody else may have by now, and deletes the cookie even if that fails.
     */
    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> end(
            @RequestAttribute(AuthenticatedCaller.CALLER_ATTRIBUTE) AuthenticatedCaller caller,
            ServerWebExchange exchange) {
        exchange.getResponse().addCookie(SessionCookies.noSession(true));
        exchange.getResponse().addCookie(SessionCookies.noSession(false));
        if (caller.browserSession().isEmpty()) {
            return Mono.empty();
        }
        exchange.getAttributes()
                .put(ApiAuditFilter.DETAIL_ATTRIBUTE, caller.browserSession().get());
        try {
            return revocations
                    .end(caller.browserSession().get())
                    .onErrorMap(IOException.class, e -> notEnded("it is valid again after a restart", e))
                    .then();
        } catch (IllegalStateException full) {
            throw notEnded("it is valid until " + caller.expiresAt(), full);
        }
    }

    private static ApiException notEnded(String consequence, Exception why) {
        return ApiException.of(
                HttpStatus.INSUFFICIENT_STORAGE,
                "The browser has forgotten the session, but %s (%s). An administrator can revoke it."
                        .formatted(consequence, why.getMessage()));
    }
}
