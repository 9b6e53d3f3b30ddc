package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.SignInSettings;
import io.millrace.gateway.audit.AuditEvent;
import io.millrace.gateway.audit.AuditEvent.Decision;
import io.millrace.gateway.audit.AuditLog;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * A filter around the control API and sign-ins that records acts and refusals in the audit log, and reads if set.
 *
 * @param log empty if there is no audit log
 */
public record ApiAuditFilter(Optional<AuditLog> log, InstantSource clock, TrustedProxies proxies)
        implements WebFilter, Ordered {
    /** The exchange attribute with what an act was about, if its path does not say that; no secret. */
    public static final String DETAIL_ATTRIBUTE = "io.millrace.audit.detail";

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        return log.isPresent() && (ApiAuthenticationFilter.isBelowApi(request) || isSignIn(request))
                ? audited(exchange, chain, log.get())
                : chain.filter(exchange);
    }

    /** A sign-in ends with a GET, and its code is in the query, which is not recorded. */
    private static boolean isSignIn(ServerHttpRequest request) {
        return request.getURI().getRawPath().equals(SignInSettings.CALLBACK);
    }

    private Mono<Void> audited(ServerWebExchange exchange, WebFilterChain chain, AuditLog audit) {
        boolean isRecorded = !ApiAuthenticationFilter.isRead(exchange.getRequest())
                || isSignIn(exchange.getRequest())
                || audit.recordsReads();
        if (isRecorded && audit.mustRefuse()) {
            exchange.getResponse().setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
            return exchange.getResponse().setComplete();
        }
        AtomicBoolean ended = new AtomicBoolean();
        exchange.getResponse()
                .beforeCommit(() -> Mono.fromRunnable(() -> {
                    int status = status(exchange);
                    boolean denied = status == HttpStatus.UNAUTHORIZED.value()
                            || status == HttpStatus.FORBIDDEN.value()
                            || (isSignIn(exchange.getRequest())
                                    && exchange.getAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) == null);
                    if ((isRecorded || denied) && ended.compareAndSet(false, true)) {
                        audit.record(event(exchange, denied ? Decision.DENIED : Decision.ALLOWED, status));
                    }
                }));
        return chain.filter(exchange).doOnCancel(() -> {
            if (isRecorded && ended.compareAndSet(false, true)) {
                audit.record(event(exchange, Decision.ALLOWED, 0));
            }
        });
    }

    private AuditEvent event(ServerWebExchange exchange, Decision decision, int status) {
        ServerHttpRequest request = exchange.getRequest();
        Principal principal = exchange.getAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE);
        @Nullable InetAddress client = ApiAuthenticationFilter.source(request, proxies).address();
        String detail = exchange.getAttribute(DETAIL_ATTRIBUTE);
        return new AuditEvent(
                clock.instant(),
                AuditEvent.Port.CONTROL,
                Optional.empty(),
                Optional.ofNullable(principal).map(Principal::name),
                client == null ? "-" : client.getHostAddress(),
                Optional.ofNullable(request.getHeaders().getFirst("user-agent")),
                request.getMethod().name() + " " + request.getPath().value() + (detail == null ? "" : " " + detail),
                Optional.empty(),
                Optional.empty(),
                decision,
                status,
                Math.max(0, request.getHeaders().getContentLength()),
                0);
    }

    private static int status(ServerWebExchange exchange) {
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        return status == null ? HttpStatus.OK.value() : status.value();
    }
}
