package io.millrace.gateway.s3.sts;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.SessionCredentials;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.Sessions;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.s3.sts.StsException.Code;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Credentials that an operation has issued.
 *
 * @param grant what they are for
 * @param document the response
 * @param accessKey that of the session
 */
record IssuedCredentials(SessionGrant grant, ByteBuffer document, String accessKey) {
    private static final Logger log = LoggerFactory.getLogger(IssuedCredentials.class);

    /**
     * Issues credentials, and logs that.
     *
     * @param more writes the elements of the result that precede the credentials
     */
    static IssuedCredentials issue(
            StsOperation operation,
            SessionGrant grant,
            Sessions sessions,
            Duration duration,
            UnaryOperator<XmlWriter> more,
            String requestId) {
        SessionCredentials issued = issued(sessions, grant, duration);
        log.info(
                "{} by {}: {} as {}, with access key {} until {}",
                operation.wireName(),
                LogSanitizer.escape(grant.subject()),
                grant.role().isEmpty() ? "its own rights" : "role " + grant.role(),
                LogSanitizer.escape(grant.name()),
                issued.accessKey(),
                issued.expiresAt());
        ByteBuffer document = StsResponder.document(
                operation, requestId, result -> credentials(user(more.apply(result), grant, issued), issued));
        return new IssuedCredentials(grant, document, issued.accessKey());
    }

    private static SessionCredentials issued(Sessions sessions, SessionGrant grant, Duration duration) {
        try {
            return sessions.issue(grant, duration);
        } catch (IllegalArgumentException tooLong) {
            throw new StsException(
                    Code.PACKED_POLICY_TOO_LARGE,
                    "The session policy and the tags do not fit into a session token: shorten them.");
        }
    }

    private static XmlWriter user(XmlWriter result, SessionGrant grant, SessionCredentials issued) {
        return grant.role().isEmpty()
                ? result
                : result.open("AssumedRoleUser")
                        .element("Arn", Principal.arnOfSession(grant.role(), grant.name()))
                        .element("AssumedRoleId", issued.accessKey() + ':' + grant.name())
                        .close();
    }

    private static XmlWriter credentials(XmlWriter result, SessionCredentials issued) {
        return result.open("Credentials")
                .element("AccessKeyId", issued.accessKey())
                .element("SecretAccessKey", issued.secretKey().reveal())
                .element("SessionToken", issued.token().reveal())
                .element(
                        "Expiration",
                        issued.expiresAt().truncatedTo(ChronoUnit.SECONDS).toString())
                .close();
    }

    /** Omits the document, which has secrets. */
    @Override
    public String toString() {
        return "IssuedCredentials[" + accessKey + ']';
    }
}
