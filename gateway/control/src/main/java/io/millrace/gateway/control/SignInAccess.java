package io.millrace.gateway.control;

import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.SignInClient;
import io.millrace.auth.session.SignInSettings;
import java.util.Optional;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The parts of the settings in force that signing in uses.
 *
 * @param sessions issues those of browsers
 * @param roles those that people may get
 * @param provider where people sign in; empty if they do so with keys only
 */
public record SignInAccess(Sessions sessions, RoleRegistry roles, Optional<Provider> provider) {
    /** The identity provider at which people sign in. */
    public record Provider(SignInSettings settings, SignInClient client) {}

    /**
     * Returns whether browsers get cookies for encrypted connections only: the connection is one, or a declared proxy
     * says so, or people find the console at an https URL.
     */
    public boolean isSecure(ServerHttpRequest request, TrustedProxies proxies) {
        return ApiAuthenticationFilter.source(request, proxies).isSecure()
                || provider.filter(one -> one.settings().isSecure()).isPresent();
    }
}
