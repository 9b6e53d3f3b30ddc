package io.millrace.gateway.s3.sts;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.audit.AuditEvent;
import io.millrace.gateway.audit.AuditEvent.Decision;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.sts.StsException.Code;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Records issued and refused credentials in the audit log, without their secrets.
 *
 * @param log empty if there is no audit log
 */
record StsAudit(Optional<AuditLog> log, InstantSource clock) {
    private static final int OK = 200;

    /** Refusals of somebody; others are mistakes in requests. */
    private static final Set<Code> DENIED = EnumSet.of(
            Code.ACCESS_DENIED,
            Code.EXPIRED_TOKEN,
            Code.INCOMPLETE_SIGNATURE,
            Code.INVALID_CLIENT_TOKEN_ID,
            Code.INVALID_IDENTITY_TOKEN,
            Code.MISSING_AUTHENTICATION_TOKEN,
            Code.SIGNATURE_DOES_NOT_MATCH);

    /** A role's name, a session's and an access key have less; what is longer was refused. */
    private static final int LONGEST_DETAIL = 256;

    /** Refuses to issue what could not be recorded, if the settings say so. */
    void requireWritable() {
        if (log.isPresent() && log.get().mustRefuse()) {
            throw new StsException(
                    Code.SERVICE_UNAVAILABLE, "The gateway cannot record this request in its audit log.");
        }
    }

    /** @param signer empty if a provider's token stands for one */
    void issued(
            S3Request request, StsParameters parameters, Optional<Principal> signer, IssuedCredentials credentials) {
        String who = signer.map(Principal::name).orElse(credentials.grant().subject());
        record(request, Optional.of(who), detail(parameters) + ' ' + credentials.accessKey(), Decision.ALLOWED, OK);
    }

    /** @param signer empty if nobody was authenticated */
    void refused(S3Request request, StsParameters parameters, Optional<Principal> signer, StsException refusal) {
        if (DENIED.contains(refusal.code())) {
            record(
                    request,
                    signer.map(Principal::name),
                    detail(parameters),
                    Decision.DENIED,
                    refusal.code().status());
        }
    }

    private void record(S3Request request, Optional<String> who, String operation, Decision decision, int status) {
        InetAddress peer = request.source().address();
        log.ifPresent(audit -> audit.record(new AuditEvent(
                clock.instant(),
                AuditEvent.Port.S3,
                Optional.of(request.requestId()),
                who,
                peer == null ? "-" : peer.getHostAddress(),
                request.headers().first("user-agent"),
                operation,
                Optional.empty(),
                Optional.empty(),
                decision,
                status,
                Math.max(0, request.body().announcedLength()),
                0)));
    }

    /** Returns the action, the role and the session's name, as far as they are stated. */
    private static String detail(StsParameters parameters) {
        String role = parameters.find("RoleArn").orElse("");
        String text = "%s %s %s"
                .formatted(
                        parameters.required("Action"),
                        role.substring(role.lastIndexOf('/') + 1),
                        parameters.find("RoleSessionName").orElse(""))
                .strip();
        return text.length() <= LONGEST_DETAIL ? text : text.substring(0, LONGEST_DETAIL);
    }
}
