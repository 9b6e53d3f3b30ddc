package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.objects.read.BackendReadException;
import io.millrace.gateway.s3.cors.CorsRuleCache;
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
import io.millrace.gateway.s3.sts.StsService;
import io.millrace.kit.XmlException;
import io.millrace.kit.async.ImmediateMono;
import io.millrace.kit.share.Party;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Serves S3 requests: authenticates and routes them, calls the operation's handler, and converts failures to S3 errors. It
 * wraps all operations.
 */
public final class S3RequestService implements RequestService {
    private static final Logger log = LoggerFactory.getLogger(S3RequestService.class);

    private static final Set<S3Operation> OBJECT_READS = EnumSet.of(S3Operation.GET_OBJECT, S3Operation.HEAD_OBJECT);

    private final BucketHostRule hosts;
    private final S3RequestAuthorizer gate;
    private final CorsRuleCache cors;
    private final StsService sts;
    private final Map<S3Operation, S3Handler> handlers = new EnumMap<>(S3Operation.class);
    private final RequestRecorder recorder;
    private final GatewayTiers tiers = new GatewayTiers();

    /**
     * @param handlers exactly one for each operation
     * @throws IllegalArgumentException if an operation has none
     */
    public S3RequestService(
            BucketHostRule hosts,
            S3RequestAuthorizer gate,
            CorsRuleCache cors,
            StsService sts,
            List<S3Handler> handlers,
            RequestRecorder recorder) {
        this.hosts = hosts;
        this.gate = gate;
        this.cors = cors;
        this.sts = sts;
        this.recorder = recorder;
        handlers.forEach(handler -> this.handlers.put(handler.operation(), handler));
        for (S3Operation operation : S3Operation.values()) {
            if (!this.handlers.containsKey(operation)) {
                throw new IllegalArgumentException("no handler for " + operation.wireName());
            }
        }
    }

    @Override
    public Mono<Void> serve(S3Exchange exchange) {
        return Mono.defer(() -> {
            RequestObservation observation = new RequestObservation(exchange, recorder, false, System.nanoTime());
            return response(exchange, observation)
                    .switchIfEmpty(Mono.error(() -> new IllegalStateException("the handler returned no response")))
                    .onErrorResume(failure -> Mono.just(errorResponse(exchange, observation, failure)))
                    .doOnNext(observation::responded)
                    .flatMap(exchange::send)
                    .onErrorResume(
                            InvalidResponseHeadersException.class,
                            e -> exchange.send(errorResponse(exchange, observation, e)))
                    .doOnSuccess(sent -> observation.sent())
                    .doOnError(failure -> {
                        logBroken(exchange, failure);
                        observation.broken(failure);
                    })
                    .doOnCancel(observation::cancelled)
                    // After the headers, the connection is closed by now. Before them, Reactor Netty turns the failure
                    // into a 500, but completion would be an empty 200.
                    .onErrorComplete(failure -> exchange.progress().status() != 0);
        });
    }

    /**
     * {@inheritDoc} The request has to pass the gate.
     */
    @Override
    public @Nullable FastPathResponse respondFromMemory(FastPathRequest received) {
        long startedAt = System.nanoTime();
        try {
            Admission admission = admit(read(received));
            received.met(admission);
            AuthorizedRequest authorized = admission.authorized;
            if (authorized == null || admission.refusal != null || !OBJECT_READS.contains(authorized.operation())) {
                return null;
            }
            @Nullable S3Response response = ImmediateMono.valueOf(admission.handled(authorized));
            return response == null
                    ? null
                    : new FastPathResponse(response, () -> {
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
     * What is known of a request once it has met the gate: who asks for what, and either the admitted request, with its response if its
     * handler has been called, or the reason of its refusal.
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

        /** Returns whether this service said it, and not that of settings which have been replaced. */
        private boolean isOf(S3RequestService service) {
            return service == S3RequestService.this;
        }

        private void authenticated(Principal caller, S3Operation requested) {
            principal = caller;
            operation = requested;
        }

        /** Returns the response of the handler, which is called by the path that is first, and again only if it threw. */
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
    private Admission admit(S3Request request) {
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

    private Mono<S3Response> response(S3Exchange exchange, RequestObservation observation) {
        return Mono.defer(() -> {
            @Nullable Admission earlier = exchange.admission();
            @Nullable Admission known = earlier != null && earlier.isOf(this) ? earlier : null;
            S3Request request = known == null ? read(exchange) : known.request;
            observation.read(request);
            if (StsService.accepts(request)) {
                return sts.serve(request);
            }
            Admission admission = known == null ? admit(request) : known;
            admission.tell(observation);
            AuthorizedRequest authorized = admission.authorized;
            RuntimeException refusal = admission.refusal;
            if (authorized == null || refusal != null) {
                S3Response error = errorResponse(exchange, observation, Objects.requireNonNull(refusal));
                return Mono.just(authorized == null ? shownToScripts(error, cors.cachedFor(request)) : error);
            }
            return shownToScripts(
                    request,
                    tiers.serve(
                                    request,
                                    partyOf(authorized.principal(), request.source()),
                                    Mono.defer(() -> admission.handled(authorized))
                                            .map(S3Response::orBypass))
                            .onErrorResume(failure -> Mono.just(errorResponse(exchange, observation, failure))));
        });
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
        return response.withHeaders(
                new HeaderList(Stream.concat(response.headers().fields().stream(), fields.fields().stream())
                        .toList()));
    }

    private S3Request read(ReceivedRequest exchange) {
        exchange.refusal().ifPresent(reason -> {
            throw reason;
        });
        RequestTarget target = RequestTarget.parse(
                exchange.rawTarget(), hosts.bucket(exchange.headers().all("host")));
        return new S3Request(
                exchange.method(),
                target,
                exchange.headers(),
                exchange.body(),
                exchange.requestId(),
                exchange.source());
    }

    private S3Handler handler(S3Operation operation) {
        S3Handler handler = handlers.get(operation);
        if (handler == null) {
            throw new IllegalStateException("no handler for " + operation.wireName());
        }
        return handler;
    }

    private static S3Response errorResponse(S3Exchange exchange, RequestObservation observation, Throwable failure) {
        if (failure instanceof ClientDisconnectedException) {
            // After a reset, the kernel may still accept the response.
            observation.cancelled();
        }
        S3Exception error = observation.failed(toS3(exchange, failure));
        S3Response response = ErrorResponses.of(error, observation.resource(), exchange.requestId());
        S3Response result = withCacheStatus(response, failure);
        return exchange.method().equals("HEAD") ? result.headOnly() : result;
    }

    /** Adds the cache status of a failed read. A request rejected before a backend was involved has none. */
    private static S3Response withCacheStatus(S3Response response, Throwable failure) {
        if (failure instanceof BackendReadException read) {
            return response.withCacheStatus(read.status());
        }
        return failure instanceof BackendException ? response.orBypass() : response;
    }

    private static S3Exception toS3(S3Exchange exchange, Throwable failure) {
        if (failure instanceof S3Exception error) {
            return error;
        }
        if (failure instanceof BackendException backend) {
            logBackend(exchange, backend);
            return BackendErrorMapper.toS3(backend);
        }
        if (failure instanceof XmlException) {
            return new S3Exception(S3ErrorCode.MALFORMED_XML);
        }
        if (failure instanceof ClientDisconnectedException) {
            // In the middle of the request body. Nobody reads the response, and nothing failed.
            return new S3Exception(S3ErrorCode.REQUEST_TIMEOUT);
        }
        log.error("Request {} failed unexpectedly: {}", exchange.requestId(), describe(exchange), failure);
        return new S3Exception(S3ErrorCode.INTERNAL_ERROR);
    }

    /**
     * Logs a backend's failure: failing backends and rejected credentials as warnings, normal errors such as an absent
     * key for debugging.
     */
    private static void logBackend(S3Exchange exchange, BackendException failure) {
        if (isWarnedOf(failure)) {
            log.debug("Request {}: {}", exchange.requestId(), words(failure));
            return;
        }
        switch (failure.kind()) {
            case ACCESS_DENIED,
                    CREDENTIALS_REJECTED,
                    CREDENTIALS_UNAVAILABLE,
                    UNAVAILABLE,
                    THROTTLED,
                    BUSY,
                    INVALID_RESPONSE,
                    VERSION_CHANGED -> log.warn("Request {}: {}", exchange.requestId(), words(failure));
            case UNEXPECTED ->
                log.error("Request {} failed unexpectedly: {}", exchange.requestId(), describe(exchange), failure);
            default -> log.debug("Request {}: {}", exchange.requestId(), words(failure));
        }
    }

    /** Returns whether the caller of the backend has already logged a warning for all requests with this failure. */
    private static boolean isWarnedOf(BackendException failure) {
        return failure.backend().isPresent() && failure.kind() != BackendException.FailureKind.VERSION_CHANGED;
    }

    private static void logBroken(S3Exchange exchange, Throwable failure) {
        if (failure instanceof BackendException broken && !isWarnedOf(broken)) {
            log.warn("Request {}: the response broke off: {}", exchange.requestId(), words(broken));
        } else if (!(failure instanceof ClientDisconnectedException)) {
            log.debug("Request {}: the response could not be sent", exchange.requestId(), failure);
        }
    }

    /** Returns the message, escaped because it may hold a key that forges a log line. */
    private static String words(BackendException failure) {
        return LogSanitizer.escape(String.valueOf(failure.getMessage()));
    }

    private static String describe(S3Exchange exchange) {
        String target = exchange.rawTarget();
        int query = target.indexOf('?'); // a query may hold a signature
        return LogSanitizer.escape(exchange.method() + " " + (query < 0 ? target : target.substring(0, query)));
    }
}
