package io.millrace.gateway.s3.sts;

import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.WebIdentity;
import io.millrace.auth.session.WebIdentityException;
import io.millrace.auth.session.WebIdentityVerifier;
import io.millrace.gateway.s3.sts.StsException.Code;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import reactor.core.publisher.Mono;

/**
 * The operation AssumeRoleWithWebIdentity: issues credentials of a role to the owner of an identity provider's token.
 * Thread-safe; never blocks, but computes.
 *
 * @see <a href="https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html">API
 *     reference</a>
 */
record AssumeRoleWithWebIdentity(WebIdentityVerifier tokens, RoleRegistry roles, Sessions sessions) {
    private static final Set<String> PARAMETERS = new TreeSet<>(
            Set.of("Action", "Version", "RoleArn", "RoleSessionName", "WebIdentityToken", "DurationSeconds", "Policy"));

    /** @param network that of the client */
    Mono<IssuedCredentials> run(StsParameters parameters, long network, String requestId) {
        parameters.requireOnly(PARAMETERS);
        String roleName = parameters.roleName();
        String name = parameters.sessionName();
        return tokens.verify(parameters.required("WebIdentityToken"), network)
                .onErrorMap(WebIdentityException.class, AssumeRoleWithWebIdentity::refusal)
                .map(identity -> issue(roleName, name, identity, parameters, requestId));
    }

    private IssuedCredentials issue(
            String roleName, String name, WebIdentity identity, StsParameters parameters, String requestId) {
        RoleSettings role = role(roleName, identity);
        SessionGrant grant = SessionGrant.toWebIdentity(
                        role.name(), name, identity.issuer() + ' ' + identity.subject(), parameters.sessionPolicy())
                .tagged(tags(role, identity));
        return IssuedCredentials.issue(
                StsOperation.ASSUME_ROLE_WITH_WEB_IDENTITY,
                grant,
                sessions,
                parameters.duration(role.maxDuration()),
                result -> result.element("SubjectFromWebIdentityToken", identity.subject())
                        .element("Audience", identity.audience())
                        .element("Provider", identity.issuer()),
                requestId);
    }

    private static StsException refusal(WebIdentityException failure) {
        Code code = switch (failure.reason()) {
            case INVALID -> Code.INVALID_IDENTITY_TOKEN;
            case EXPIRED -> Code.EXPIRED_TOKEN;
            case ISSUER_UNREACHABLE -> Code.IDP_COMMUNICATION_ERROR;
        };
        return new StsException(code, String.valueOf(failure.getMessage()));
    }

    private static Map<String, String> tags(RoleSettings role, WebIdentity identity) {
        try {
            return role.tagsOf(identity);
        } catch (IllegalArgumentException several) {
            throw new StsException(Code.INVALID_IDENTITY_TOKEN, String.valueOf(several.getMessage()));
        }
    }

    /** Returns the role if it trusts {@code identity}. The error does not tell whether it exists. */
    private RoleSettings role(String name, WebIdentity identity) {
        return roles.find(name)
                .filter(role -> role.trusts(identity))
                .orElseThrow(() -> new StsException(
                        Code.ACCESS_DENIED, "Not authorized to perform sts:AssumeRoleWithWebIdentity"));
    }
}
