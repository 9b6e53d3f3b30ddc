package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.BackendReadException;
import io.millrace.gateway.s3.bucket.CorsRuleCache;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.protocol.ErrorResponses;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlException;
import io.millrace.kit.async.ImmediateMono;
import io.millrace.kit.share.Party;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Responds to S3 requests: authenticates and routes them, calls the operation's handler, and converts failures to S3
 * errors. It wraps all operations, and passes on what another responder of its port accepts.
 */
public final class S3Responder implements Responder {
    private static final Set<S3Operation> OBJECT_READS = EnumSet.of(S3Operation.GET_OBJECT, S3Operation.HEAD_OBJECT);

    private final BucketHostRule hosts;
    private final S3RequestAuthorizer gate;
    private final CorsRuleCache cors;
    private final List<UngatedResponder> ungated;
    private final Map<S3Operation, S3Handler> handlers;
    private final GatewayTiers tiers = new GatewayTiers();

    /**
     * @param ungated get what they accept, the first of them
     * @param handlers by the operation that they serve
     * @throws IllegalArgumentException if an operation has none
     */
    public S3Responder(
            BucketHostRule hosts,
            S3RequestAuthorizer gate,
            CorsRuleCache cors,
            List<UngatedResponder> ungated,
            Map<S3Operation, S3Handler> handlers) {
        this.hosts = hosts;
        this.gate = gate;
        this.cors = cors;
        this.ungated = List.copyOf(ungated);
        this.handlers = new EnumMap<>(handlers);
        for (S3Operation operation : S3Operation.values()) {
            if (!this.handlers.containsKey(operation)) {
                throw new IllegalArgumentException("no handler for " + operation.wireName());
            }
        }
    }

    @Override
    public boolean isGated() {
        return true;
    }

    /**
     * {@inheritDoc} The request has to pass the gate.
     */
    @Override
    public RequestService.@Nullable FastPathResponse respondFromMemory(
            FastPathRequest received, RequestRecorder recorder) {
        long startedAt = System.nanoTime();
        try {
            Admission admission = admit(read(received), recorder);
            received.met(admission);
            AuthorizedRequest authorized = admission.authorized;
            if (authorized == null || admission.refusal != null || !OBJECT_READS.contains(authorized.operation())) {
                return null;
            }
            @Nullable S3Response response = ImmediateMono.valueOf(admission.handled(authorized));
            return response == null
                    ? null
                    : new RequestService.FastPathResponse(response, () -> {
                        RequestObservation observation = new RequestObservation(received, recorder, true, startedAt);
                        admission.tell(observation);
                        observation.responded(response);
                        return observation;
                    });
        } catch (RuntimeException | OutOfMemoryError reportedByTheGeneralPath) {
            return null;
        }
    }

    /**
     * The outcome of the gate for a request: who asks for what, and either the admitted request, with its response if
     * its handler has been called, or the reason of its refusal.
     */
    final class Admission {
        private final S3Request request;
        private @Nullable Principal principal;
        private @Nullable S3Operation operation;
        private @Nullable AuthorizedRequest authorized;
        private @Nullable RuntimeException refusal;
        private @Nullable Mono<S3Response> response;

        private Admission(S3Request request) {
            this.request = request;
        }

        /** Returns whether this responder said it, and not that of settings which have been replaced. */
        private boolean isOf(S3Responder responder) {
            return responder == S3Responder.this;
        }

        private void authenticated(Principal caller, S3Operation requested) {
            principal = caller;
            operation = requested;
        }

        /**
         * Returns the response of the handler, which is called by the path that is first, and again only if it threw.
         */
        private Mono<S3Response> handled(AuthorizedRequest admitted) {
            if (response == null) {
                response = handler(admitted.operation()).handle(admitted);
            }
            return response;
        }

        private void tell(RequestObservation observation) {
            observation.read(request);
            if (authorized != null && refusal == null) {
                observation.admitted(authorized);
            } else if (principal != null && operation != null) {
                observation.authenticated(principal, operation);
            }
            if (authorized != null && isOfLimits(refusal)) {
                observation.throttled();
            }
        }
    }

    /** An authorized request may also be refused because the audit log cannot record it. */
    private static boolean isOfLimits(@Nullable RuntimeException refusal) {
        return refusal instanceof S3Exception known && known.code().equals(S3ErrorCode.SLOW_DOWN.code());
    }

    /** Passes a request through the gate, and through the limits of its principal. */
    private Admission admit(S3Request request, RequestRecorder recorder) {
        Admission admission = new Admission(request);
        try {
            AuthorizedRequest authorized = gate.admit(request, admission::authenticated);
            admission.authorized = authorized;
            admission.refusal = recorder.refusal(authorized.principal(), authorized.operation(), request.isRead())
                    .orElse(null);
        } catch (RuntimeException refusal) {
            admission.refusal = refusal;
        }
        return admission;
    }

    @Override
    public Mono<S3Response> respond(ReceivedRequest received, RequestObservation observation) {
        @Nullable Admission earlier = received.admission();
        @Nullable Admission known = earlier != null && earlier.isOf(this) ? earlier : null;
        S3Request request = known == null ? read(received) : known.request;
        observation.read(request);
        for (UngatedResponder other : ungated) {
            if (other.accepts(request)) {
                observation.ungated();
                return other.respond(request, observation);
            }
        }
        Admission admission = known == null ? admit(request, observation.recorder()) : known;
        admission.tell(observation);
        AuthorizedRequest authorized = admission.authorized;
        RuntimeException refusal = admission.refusal;
        if (authorized == null || refusal != null) {
            S3Response error = failed(received, observation, Objects.requireNonNull(refusal));
            return Mono.just(authorized == null ? shownToScripts(error, cors.cachedFor(request)) : error);
        }
        return shownToScripts(
                request,
                tiers.serve(
                                request,
                                partyOf(authorized.principal(), request.source()),
                                Mono.defer(() -> admission.handled(authorized)).map(S3Response::orBypass))
                        .onErrorResume(
                                failure -> !(failure instanceof ClientDisconnectedException),
                                failure -> Mono.just(failed(received, observation, failure))));
    }

    private static Party partyOf(Principal principal, RequestSource source) {
        return principal.isAnonymous()
                ? Party.ofAnonymous(source.network())
                : Party.ofIdentity(principal.accountableName());
    }

    /** Adds CORS headers to a response. Errors get them too, so that a script can read the reason. */
    private Mono<S3Response> shownToScripts(S3Request request, Mono<S3Response> response) {
        return request.headers().first("origin").isEmpty()
                ? response
                : cors.fieldsFor(request).flatMap(fields -> response.map(of -> shownToScripts(of, fields)));
    }

    private static S3Response shownToScripts(S3Response response, HeaderList fields) {
        return response.withHeaders(response.headers().with(fields));
    }

    private S3Request read(ReceivedRequest received) {
        RequestTarget target = RequestTarget.parse(
                received.rawTarget(), hosts.bucket(received.headers().all("host")));
        return new S3Request(
                received.method(),
                target,
                received.headers(),
                received.body(),
                received.requestId(),
                received.source());
    }

    private S3Handler handler(S3Operation operation) {
        S3Handler handler = handlers.get(operation);
        if (handler == null) {
            throw new IllegalStateException("no handler for " + operation.wireName());
        }
        return handler;
    }

    @Override
    public S3Response failed(ReceivedRequest received, RequestObservation observation, Throwable failure) {
        S3Exception error = observation.failed(toS3(received, failure));
        return withCacheStatus(ErrorResponses.of(error, observation.resource(), received.requestId()), failure);
    }

    /** Adds the cache status of a failed read. A request rejected before a backend was involved has none. */
    private static S3Response withCacheStatus(S3Response response, Throwable failure) {
        if (failure instanceof BackendReadException read) {
            return response.withCacheStatus(read.status());
        }
        return failure instanceof BackendException ? response.orBypass() : response;
    }

    private static S3Exception toS3(ReceivedRequest received, Throwable failure) {
        if (failure instanceof S3Exception error) {
            return error;
        }
        if (failure instanceof BackendException backend) {
            FailedRequestLog.failed(received, backend);
            return BackendErrorMapper.toS3(backend);
        }
        if (failure instanceof XmlException) {
            return new S3Exception(S3ErrorCode.MALFORMED_XML);
        }
        FailedRequestLog.unexpected(received, failure);
        return new S3Exception(S3ErrorCode.INTERNAL_ERROR);
    }
}
