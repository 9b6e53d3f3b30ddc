package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.BrowserSession;
import io.millrace.auth.session.PendingSignIn;
import io.millrace.auth.session.SignInLimiter;
import io.millrace.auth.session.SignInSealer;
import io.millrace.auth.session.SignInSettings;
import io.millrace.auth.session.WebIdentityException;
import io.millrace.kit.async.SharedRoom;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Serves the sign-in of people by an identity provider: sends browsers there, and takes them back with a session of a
 * role. A sign-in is begun by anyone who can connect, so nothing is stored for it, and rate, size and time are limited.
 * No parameter says where a browser goes.
 */
final class SignInRoutes {
    private static final Logger log = LoggerFactory.getLogger(SignInRoutes.class);
    private static final String START = "/console/sign-in";
    private static final String CONSOLE = "/console/";
    private static final Set<String> PATHS = Set.of(START, SignInSettings.CALLBACK);

    /** The sign-ins that may wait for the provider; nobody's network has more of them than are left to others. */
    static final int MOST_WAITING = 64;

    private static final String START_AGAIN =
            "The sign-in took too long, or was begun in another browser. Start again.";

    private final Supplier<SignInAccess> access;
    private final SignInSealer sealer;
    private final TrustedProxies proxies;
    private final InstantSource clock;
    private final SignInLimiter limiter;
    private final SharedRoom<Long> waiting = new SharedRoom<>(MOST_WAITING);

    SignInRoutes(Supplier<SignInAccess> access, SignInSealer sealer, TrustedProxies proxies, InstantSource clock) {
        this.access = access;
        this.sealer = sealer;
        this.proxies = proxies;
        this.clock = clock;
        this.limiter = new SignInLimiter(clock);
    }

    /** Returns the routes. */
    RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET(START + "/methods", this::methods)
                .GET(START, request -> withProvider(request, this::begin))
                .GET(SignInSettings.CALLBACK, request -> withProvider(request, this::end))
                .build();
    }

    /** Says how people can sign in, which the console shows. */
    private Mono<ServerResponse> methods(ServerRequest request) {
        String provider = access.get()
                .provider()
                .map(one -> one.settings().issuer().getHost())
                .orElse("");
        return ServerResponse.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .header("Cache-Control", "no-store")
                .bodyValue(new SignInMethods(
                        provider,
                        SessionCookies.session(request.exchange().getRequest(), isSecure(request))
                                .isPresent()));
    }

    /**
     * The ways in which people can sign in, and whether they have.
     *
     * @param provider the host of the identity provider; empty if there is none
     * @param session whether the browser has the cookie of a session, perhaps of one that has ended
     */
    private record SignInMethods(String provider, boolean session) {}

    private interface Step {
        Mono<ServerResponse> run(ServerRequest request, SignInAccess.Provider provider) throws SignInRefusal;
    }

    private Mono<ServerResponse> withProvider(ServerRequest request, Step step) {
        return Mono.defer(() -> {
                    Optional<SignInAccess.Provider> provider = access.get().provider();
                    // Spring also takes other spellings of the path, by which the audit log would not know it.
                    if (provider.isEmpty() || !PATHS.contains(request.uri().getRawPath())) {
                        return Mono.error(new SignInRefusal(HttpStatus.NOT_FOUND, "Nobody signs in here this way."));
                    }
                    RequestSource source =
                            ApiAuthenticationFilter.source(request.exchange().getRequest(), proxies);
                    if (!limiter.admits(source)) {
                        return Mono.error(new SignInRefusal(
                                HttpStatus.TOO_MANY_REQUESTS,
                                "Too many sign-ins come from your address: wait a minute."));
                    }
                    return Mono.using(
                            () -> waitingOf(source.network()),
                            network -> run(step, request, provider.get()),
                            network -> waiting.release(network, 1));
                })
                .onErrorResume(SignInRefusal.class, refusal -> SignInRefusalPage.of(refusal, isSecure(request)));
    }

    private static Mono<ServerResponse> run(Step step, ServerRequest request, SignInAccess.Provider provider) {
        try {
            return step.run(request, provider);
        } catch (SignInRefusal refusal) {
            return Mono.error(refusal);
        }
    }

    private long waitingOf(long network) throws SignInRefusal {
        if (!waiting.take(network, 1)) {
            throw new SignInRefusal(HttpStatus.SERVICE_UNAVAILABLE, "Too many sign-ins are under way: try again.");
        }
        return network;
    }

    private Mono<ServerResponse> begin(ServerRequest request, SignInAccess.Provider provider) {
        PendingSignIn pending = PendingSignIn.start(clock.instant());
        return provider.client()
                .authorizationUrl(pending)
                .onErrorMap(WebIdentityException.class, SignInRoutes::refused)
                .flatMap(url -> ServerResponse.status(HttpStatus.FOUND)
                        .location(URI.create(url))
                        .cookie(SessionCookies.signIn(sealer.seal(pending), SignInLimiter.LONGEST, isSecure(request)))
                        .headers(SignInRefusalPage::protect)
                        .build());
    }

    private Mono<ServerResponse> end(ServerRequest request, SignInAccess.Provider provider) throws SignInRefusal {
        PendingSignIn pending = SessionCookies.signIn(request.exchange().getRequest(), isSecure(request))
                .flatMap(sealer::open)
                .filter(begun -> isEqual(begun.state(), single(request, "state")))
                .orElseThrow(() -> new SignInRefusal(HttpStatus.FORBIDDEN, START_AGAIN));
        List<String> issuers = request.queryParams().getOrDefault("iss", List.of());
        if (!(issuers.isEmpty()
                || issuers.equals(List.of(provider.settings().issuer().toString())))) {
            throw new SignInRefusal(HttpStatus.FORBIDDEN, "The response is of another identity provider.");
        }
        if (!limiter.mayEnd(pending)) {
            throw new SignInRefusal(HttpStatus.FORBIDDEN, START_AGAIN);
        }
        String code = single(request, "code");
        if (code.isEmpty()) {
            throw new SignInRefusal(HttpStatus.FORBIDDEN, "The identity provider did not let you in.");
        }
        PersonSessionIssuer issuer =
                new PersonSessionIssuer(access.get().sessions(), access.get().roles());
        return provider.client()
                .redeem(code, pending)
                .onErrorMap(WebIdentityException.class, SignInRoutes::refused)
                .<PersonSessionIssuer.Issued>handle((person, sink) -> {
                    try {
                        sink.next(issuer.issue(person, provider.settings()));
                    } catch (SignInRefusal refusal) {
                        sink.error(refusal);
                    }
                })
                .flatMap(issued -> entered(request, issued));
    }

    private Mono<ServerResponse> entered(ServerRequest request, PersonSessionIssuer.Issued issued) {
        Principal principal = issued.principal();
        BrowserSession session = issued.session();
        request.exchange().getAttributes().put(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE, principal);
        request.exchange().getAttributes().put(ApiAuditFilter.DETAIL_ATTRIBUTE, session.accessKey());
        log.info("'{}' signed in, with the session {}", principal.name(), session.accessKey());
        boolean secure = isSecure(request);
        return ServerResponse.status(HttpStatus.SEE_OTHER)
                .location(URI.create(CONSOLE))
                .cookie(SessionCookies.session(
                        session.cookie().reveal(), Duration.between(clock.instant(), session.expiresAt()), secure))
                .cookie(SessionCookies.noSignIn(secure))
                .headers(SignInRefusalPage::protect)
                .build();
    }

    private boolean isSecure(ServerRequest request) {
        return access.get().isSecure(request.exchange().getRequest(), proxies);
    }

    /** Returns a parameter that stands once; empty otherwise. */
    private static String single(ServerRequest request, String name) {
        List<String> values = request.queryParams().getOrDefault(name, List.of());
        return values.size() == 1 && values.get(0) != null ? values.get(0) : "";
    }

    private static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static SignInRefusal refused(WebIdentityException failure) {
        log.warn("A sign-in failed: {}", failure.getMessage());
        return new SignInRefusal(
                failure.reason() == WebIdentityException.Reason.ISSUER_UNREACHABLE
                        ? HttpStatus.BAD_GATEWAY
                        : HttpStatus.FORBIDDEN,
                String.valueOf(failure.getMessage()));
    }
}
