package io.millrace.gateway.control.signin;

import io.millrace.auth.oidc.SignInClient;
import io.millrace.auth.oidc.SignInSettings;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.Sessions;
import java.util.Optional;

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
}
