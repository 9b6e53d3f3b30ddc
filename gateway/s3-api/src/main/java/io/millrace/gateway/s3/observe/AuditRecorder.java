package io.millrace.gateway.s3.observe;

import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.audit.AuditEvent;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.gate.ObjectDecision;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.time.InstantSource;
import java.util.Optional;

/** Records S3 requests in the audit log: writes, denied requests and, if set, reads. */
public record AuditRecorder(AuditLog audit, InstantSource clock) implements RequestRecorder {
    private static final int FORBIDDEN = 403;

    @Override
    public void started() {}

    @Override
    public Optional<S3Exception> refusal(Principal principal, S3Operation operation, boolean isRead) {
        return isRecorded(operation, isRead) && audit.mustRefuse()
                ? Optional.of(new S3Exception(
                        S3ErrorCode.SERVICE_UNAVAILABLE, "The gateway cannot record this request in its audit log."))
                : Optional.empty();
    }

    @Override
    public void ended(RequestRecord request) {
        if (!request.gated()) {
            return; // STS records its own, with what was asked for
        }
        boolean denied = !request.admitted() && request.status() == FORBIDDEN;
        boolean isRead = request.request().map(S3Request::isRead).orElse(true);
        boolean allowed = request.admitted()
                && request.operation()
                        .filter(operation -> isRecorded(operation, isRead))
                        .isPresent();
        if (denied || allowed) {
            audit.record(event(request, denied ? AuditEvent.Decision.DENIED : AuditEvent.Decision.ALLOWED));
        }
        // Of a read that is not recorded, a batch, the items that were denied are all the same.
        request.decisions().stream()
                .filter(decision -> allowed || !decision.isAllowed())
                .forEach(decision -> audit.record(event(request, decision)));
    }

    private boolean isRecorded(RequestOperation operation, boolean isRead) {
        return !operation.isPreflight() && (!(isRead || operation.isReadByPost()) || audit.recordsReads());
    }

    /** The event of one object of a request; the bytes are those of the request's own event. */
    private AuditEvent event(RequestRecord request, ObjectDecision decision) {
        return new AuditEvent(
                clock.instant(),
                AuditEvent.Port.S3,
                Optional.of(request.requestId()),
                Optional.of(decision.principal()),
                request.peer(),
                Optional.empty(),
                request.operation().map(RequestOperation::wireName).orElse("-"),
                Optional.of(decision.bucket().value()),
                Optional.of(decision.key().value()),
                decision.isAllowed() ? AuditEvent.Decision.ALLOWED : AuditEvent.Decision.DENIED,
                request.status(),
                0,
                0);
    }

    private AuditEvent event(RequestRecord request, AuditEvent.Decision decision) {
        Optional<S3Request> received = request.request();
        return new AuditEvent(
                clock.instant(),
                AuditEvent.Port.S3,
                Optional.of(request.requestId()),
                Optional.of(request.principal()).filter(name -> !name.isEmpty()),
                request.peer(),
                received.flatMap(sent -> sent.headers().first("user-agent")),
                request.operation().map(RequestOperation::wireName).orElse("-"),
                received.flatMap(sent -> sent.target().bucket()).map(BucketName::value),
                received.flatMap(sent -> sent.target().key()).map(ObjectKey::value),
                decision,
                request.status(),
                request.bytesIn(),
                request.bytesOut());
    }
}
