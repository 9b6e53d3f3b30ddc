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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Records S3 requests in the audit log: writes, denied requests and, if set, reads. */
public record AuditRecorder(AuditLog audit, InstantSource clock) implements RequestRecorder {
    private static final int FORBIDDEN = 403;

    /** The keys of a batch's items in one line, at most: a line each would fill the log's memory with a few batches. */
    static final int MOST_KEYS = 32;

    /** Their characters, at most, unless it is one: so that as many lines may wait as with one key in each. */
    private static final int MOST_CHARACTERS = 1024;

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
        // Also where reads, as a batch is one, are not recorded: items that were denied.
        List<ObjectDecision> decisions = request.decisions().stream()
                .filter(decision -> allowed || !decision.isAllowed())
                .toList();
        if (request.operation().filter(S3Operation.GET_BATCH::equals).isPresent()) {
            recordItems(request, decisions);
        } else {
            decisions.forEach(decision -> audit.record(event(request, decision)));
        }
    }

    /** The items of a batch in one bucket about which the same was decided. */
    private record DecidedItems(BucketName bucket, boolean isAllowed) {}

    /** Records each key once, and together those of one bucket about which the same was decided. */
    private void recordItems(RequestRecord request, List<ObjectDecision> decisions) {
        Map<DecidedItems, Set<String>> keys = new LinkedHashMap<>();
        for (ObjectDecision decision : decisions) {
            DecidedItems common = new DecidedItems(decision.bucket(), decision.isAllowed());
            keys.computeIfAbsent(common, first -> new LinkedHashSet<>())
                    .add(decision.key().value());
        }
        keys.forEach((common, all) -> {
            List<String> line = new ArrayList<>();
            int characters = 0;
            for (String key : all) {
                characters += key.length();
                if (!line.isEmpty() && (line.size() == MOST_KEYS || characters > MOST_CHARACTERS)) {
                    audit.record(event(request, common, line));
                    line.clear();
                    characters = key.length();
                }
                line.add(key);
            }
            audit.record(event(request, common, line));
        });
    }

    private AuditEvent event(RequestRecord request, DecidedItems common, List<String> keys) {
        return new AuditEvent(
                clock.instant(),
                AuditEvent.Port.S3,
                Optional.of(request.requestId()),
                Optional.of(request.principal()).filter(name -> !name.isEmpty()),
                request.peer(),
                Optional.empty(),
                request.operation().map(RequestOperation::wireName).orElse("-"),
                Optional.of(common.bucket().value()),
                Optional.empty(),
                keys,
                common.isAllowed() ? AuditEvent.Decision.ALLOWED : AuditEvent.Decision.DENIED,
                request.status(),
                0,
                0);
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
