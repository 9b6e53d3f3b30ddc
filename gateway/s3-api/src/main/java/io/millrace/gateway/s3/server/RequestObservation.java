package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.BackendException;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.ErrorSubjectElements;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The facts about one request for meters and logs, which are reported when it ends. The service of its port begins and
 * ends it; what a responder learns meanwhile, it tells.
 */
public final class RequestObservation {
    private static final Logger log = LoggerFactory.getLogger(RequestObservation.class);

    private final ReceivedRequest exchange;
    private final RequestRecorder recorder;
    private final boolean fastPath;
    private final long startedAt;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Optional<S3Request> request = Optional.empty();
    private volatile @Nullable Principal principal;
    private volatile @Nullable RequestOperation operation;
    private volatile Optional<AuthorizedRequest> authorized = Optional.empty();
    private volatile Optional<CacheResult> cache = Optional.empty();
    private volatile Optional<S3Exception> error = Optional.empty();
    private volatile boolean throttled;
    private volatile boolean ungated;

    /**
     * @param fastPath whether the fast path serves the request
     * @param startedAt when its headers were received, by {@link System#nanoTime}
     */
    RequestObservation(ReceivedRequest exchange, RequestRecorder recorder, boolean fastPath, long startedAt) {
        this.exchange = exchange;
        this.recorder = recorder;
        this.fastPath = fastPath;
        this.startedAt = startedAt;
        recorder.started();
    }

    /** Returns the recorder that gets the facts. */
    RequestRecorder recorder() {
        return recorder;
    }

    /** Remembers that the gate does not decide on the request. */
    void ungated() {
        ungated = true;
    }

    /** Remembers the request as it was received, with its object as S3 clients name it. */
    public void read(S3Request read) {
        request = Optional.of(read);
    }

    /** Remembers what is asked for, by somebody who is not known yet. */
    public void requested(RequestOperation wanted) {
        operation = wanted;
    }

    /** Remembers who asks for what, also if it is then denied. */
    public void authenticated(Principal caller, RequestOperation wanted) {
        principal = caller;
        requested(wanted);
    }

    void admitted(AuthorizedRequest admitted) {
        authenticated(admitted.principal(), admitted.operation());
        authorized = Optional.of(admitted);
        recorder.admitted(admitted.principal());
    }

    /** Remembers that the caller is beyond its own limits. */
    void throttled() {
        throttled = true;
    }

    void responded(S3Response response) {
        cache = response.cacheStatus().map(CacheStatus::result);
    }

    /** Returns the resource in error responses: the decoded path, or the empty text if it could not be decoded. */
    String resource() {
        return request.map(S3Request::path).orElse("");
    }

    /** Remembers the error, and returns it with the names of its subject, if the request could be decoded. */
    public S3Exception failed(S3Exception failure) {
        error = Optional.of(failure);
        return request.map(read -> ErrorSubjectElements.of(failure, read)).orElse(failure);
    }

    void sent() {
        end(
                throttled
                        ? OutcomeCategory.THROTTLED
                        : OutcomeCategory.ofStatus(exchange.progress().status()));
    }

    /** Records a response that broke off: the client disconnected, or the gateway or a backend failed. */
    void broken(Throwable failure) {
        if (ClientDisconnectedException.isCauseOf(failure)) {
            end(OutcomeCategory.CLIENT_LEFT);
            return;
        }
        if (failure instanceof S3Exception refused) {
            // An item of a batch, after the head: the client asked for what there is not, or it cannot be had now.
            error = Optional.of(refused);
            OutcomeCategory outcome = OutcomeCategory.ofStatus(refused.status());
            end(outcome == OutcomeCategory.SERVER_ERROR ? OutcomeCategory.BROKEN : outcome);
            return;
        }
        if (!(failure instanceof BackendException)) {
            log.error("Request {}: the response broke off; its connection is closed", exchange.requestId(), failure);
        }
        end(OutcomeCategory.BROKEN);
    }

    void cancelled() {
        end(OutcomeCategory.CLIENT_LEFT);
    }

    private void end(OutcomeCategory outcome) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        ReceivedRequest.Progress progress = exchange.progress();
        Principal caller = principal;
        recorder.ended(new RequestRecord(
                exchange.requestId(),
                request,
                !ungated,
                authorized.isPresent(),
                Optional.ofNullable(operation),
                caller == null ? "" : caller.name(),
                caller == null ? "" : caller.accountableName(),
                exchange.peer(),
                exchange.method(),
                resource(),
                progress.status(),
                outcome,
                progress.firstByteAt() == 0 ? -1 : progress.firstByteAt() - startedAt,
                System.nanoTime() - startedAt,
                authorized.isPresent() ? Math.max(0, exchange.body().announcedLength()) : 0,
                progress.bytes(),
                cache,
                fastPath,
                authorized.flatMap(a -> a.request().target().bucket()),
                authorized.isPresent() ? authorized.get().decisions() : List.of(),
                authorized.flatMap(AuthorizedRequest::batch),
                error));
    }
}
