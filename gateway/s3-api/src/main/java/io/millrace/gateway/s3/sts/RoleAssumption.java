package io.millrace.gateway.s3.sts;

import io.millrace.auth.oidc.WebIdentity;
import io.millrace.auth.oidc.WebIdentityException;
import io.millrace.auth.oidc.WebIdentityVerifier;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionCredentials;
import io.millrace.auth.session.Sessions;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.s3.sts.StsException.Code;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operation AssumeRoleWithWebIdentity: issues credentials of a role to the owner of an identity provider's token.
 * Thread-safe; blocks while the provider's keys are fetched.
 *
 * @see <a href="https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html">API
 *     reference</a>
 */
final class RoleAssumption {
    static final String ACTION = "AssumeRoleWithWebIdentity";

    private static final Logger log = LoggerFactory.getLogger(RoleAssumption.class);

    private static final Set<String> PARAMETERS = new TreeSet<>(
            Set.of("Action", "Version", "RoleArn", "RoleSessionName", "WebIdentityToken", "DurationSeconds"));
    private static final String ROLE = "arn:aws:iam::" + Principal.ACCOUNT + ":role/";
    private static final Pattern SESSION_NAME = Pattern.compile("[A-Za-z0-9_+=,.@-]{2,64}");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");
    private static final Duration USUAL = Duration.ofHours(1);

    private final WebIdentityVerifier tokens;
    private final RoleRegistry roles;
    private final Sessions sessions;

    RoleAssumption(WebIdentityVerifier tokens, RoleRegistry roles, Sessions sessions) {
        this.tokens = tokens;
        this.roles = roles;
        this.sessions = sessions;
    }

    ByteBuffer run(StsParameters parameters, String requestId) {
        parameters.requireOnly(PARAMETERS);
        String arn = parameters.required("RoleArn");
        String name = parameters.required("RoleSessionName");
        if (!SESSION_NAME.matcher(name).matches()) {
            throw new StsException(
                    Code.VALIDATION_ERROR, "RoleSessionName must be 2 to 64 letters, digits or _ + = , . @ -");
        }
        WebIdentity identity = verified(parameters.required("WebIdentityToken"));
        RoleSettings role = role(arn, identity);
        SessionCredentials issued = sessions.issue(
                role.name(), name, identity.issuer() + ' ' + identity.subject(), duration(parameters, role));
        log.info(
                "Role {} was assumed by {} of {} as {}, with access key {} until {}",
                role.name(),
                LogSanitizer.escape(identity.subject()),
                identity.issuer(),
                name,
                issued.accessKey(),
                issued.expiresAt());
        return document(identity, role.name(), name, issued, requestId);
    }

    private WebIdentity verified(String token) {
        try {
            return tokens.verify(token);
        } catch (WebIdentityException e) {
            Code code = switch (e.reason()) {
                case INVALID -> Code.INVALID_IDENTITY_TOKEN;
                case EXPIRED -> Code.EXPIRED_TOKEN;
                case ISSUER_UNREACHABLE -> Code.IDP_COMMUNICATION_ERROR;
            };
            throw new StsException(code, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the role if it trusts {@code identity}. The error does not tell whether it exists. */
    private RoleSettings role(String arn, WebIdentity identity) {
        return roles.find(arn.startsWith(ROLE) ? arn.substring(ROLE.length()) : "")
                .filter(role -> role.trusts(identity))
                .orElseThrow(() -> new StsException(
                        Code.ACCESS_DENIED, "Not authorized to perform sts:AssumeRoleWithWebIdentity"));
    }

    private static Duration duration(StsParameters parameters, RoleSettings role) {
        Duration most = role.maxDuration();
        String seconds = parameters.find("DurationSeconds").orElse("");
        if (seconds.isEmpty()) {
            return USUAL.compareTo(most) < 0 ? USUAL : most;
        }
        Duration wanted =
                SECONDS.matcher(seconds).matches() ? Duration.ofSeconds(Long.parseLong(seconds)) : Duration.ZERO;
        if (wanted.compareTo(RoleSettings.SHORTEST) < 0 || wanted.compareTo(most) > 0) {
            throw new StsException(
                    Code.VALIDATION_ERROR,
                    "DurationSeconds must be %d to %d for this role."
                            .formatted(RoleSettings.SHORTEST.toSeconds(), most.toSeconds()));
        }
        return wanted;
    }

    private static ByteBuffer document(
            WebIdentity identity, String role, String session, SessionCredentials issued, String requestId) {
        return StsService.document(
                ACTION,
                requestId,
                result -> result.element("SubjectFromWebIdentityToken", identity.subject())
                        .element("Audience", identity.audience())
                        .element("Provider", identity.issuer())
                        .open("AssumedRoleUser")
                        .element("Arn", Principal.arnOfSession(role, session))
                        .element("AssumedRoleId", issued.accessKey() + ':' + session)
                        .close()
                        .open("Credentials")
                        .element("AccessKeyId", issued.accessKey())
                        .element("SecretAccessKey", issued.secretKey().reveal())
                        .element("SessionToken", issued.token().reveal())
                        .element(
                                "Expiration",
                                issued.expiresAt()
                                        .truncatedTo(ChronoUnit.SECONDS)
                                        .toString())
                        .close());
    }
}
