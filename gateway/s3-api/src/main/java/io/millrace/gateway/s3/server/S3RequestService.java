package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.s3.cors.CorsRuleCache;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.Gate;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.protocol.CacheResult;
import io.millrace.gateway.s3.protocol.ErrorResponses;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Serves requests: reads the target, passes the gate, calls the operation's handler, and turns whatever fails into S3's
 * error. The one wrapper around all operations.
 */
public final class S3RequestService {
    private static final Logger log = LoggerFactory.getLogger(S3RequestService.class);

    private final BucketHostRule hosts;
    private final Gate gate;
    private final CorsRuleCache cors;
    private final Map<S3Operation, S3Handler> handlers = new EnumMap<>(S3Operation.class);
    private final RequestRecorder recorder;

    /**
     * @param handlers one for each operation
     * @throws IllegalArgumentException if an operation has none
     */
    public S3RequestService(
            BucketHostRule hosts, Gate gate, CorsRuleCache cors, List<S3Handler> handlers, RequestRecorder recorder) {
        this.hosts = hosts;
        this.gate = gate;
        this.cors = cors;
        this.recorder = recorder;
        handlers.forEach(handler -> this.handlers.put(handler.operation(), handler));
        for (S3Operation operation : S3Operation.values()) {
            if (!this.handlers.containsKey(operation)) {
                throw new IllegalArgumentException("no handler for " + operation.wireName());
            }
        }
    }

    /** Serves one request. Completes when its answer was sent, or the connection closed; fails only if no head could be sent. */
    Mono<Void> serve(S3Exchange exchange) {
        return Mono.defer(() -> {
            RequestObservation observation = new RequestObservation(exchange, recorder);
            return answer(exchange, observation)
                    .switchIfEmpty(Mono.error(() -> new IllegalStateException("the handler gave no answer")))
                    .onErrorResume(failure -> Mono.just(errorAnswer(exchange, observation, failure)))
                    .doOnNext(observation::answered)
                    .flatMap(exchange::send)
                    .onErrorResume(
                            InvalidResponseHeadersException.class,
                            e -> exchange.send(errorAnswer(exchange, observation, e)))
                    .doOnSuccess(sent -> observation.sent())
                    .doOnError(failure -> {
                        logBroken(exchange, failure);
                        observation.broken(failure);
                    })
                    .doOnCancel(observation::cancelled)
                    // Behind a head the connection is closed by now. Without one, Reactor Netty makes a 500 of the
                    // failure, where
                    // completing would make an empty 200.
                    .onErrorComplete(failure -> exchange.progress().status() != 0)
                    .contextWrite(context -> context.put(S3Handler.EXECUTOR, exchange.loop()));
        });
    }

    private Mono<S3Response> answer(S3Exchange exchange, RequestObservation observation) {
        return Mono.defer(() -> {
            S3Request request = read(exchange);
            observation.read(request);
            AuthorizedRequest admission;
            try {
                admission = gate.admit(request);
            } catch (RuntimeException refusal) {
                return Mono.just(shownToScripts(errorAnswer(exchange, observation, refusal), cors.knownFor(request)));
            }
            observation.admitted(admission);
            return shownToScripts(
                    request,
                    Mono.defer(() -> handled(admission))
                            .onErrorResume(failure -> Mono.just(errorAnswer(exchange, observation, failure))));
        });
    }

    private Mono<S3Response> handled(AuthorizedRequest admission) {
        return handler(admission.operation()).handle(admission).map(CacheResult::told);
    }

    /** Errors too: a script must be able to read why. */
    private Mono<S3Response> shownToScripts(S3Request request, Mono<S3Response> answer) {
        return request.headers().first("origin").isEmpty()
                ? answer
                : cors.fieldsFor(request).flatMap(fields -> answer.map(of -> shownToScripts(of, fields)));
    }

    private static S3Response shownToScripts(S3Response answer, HeaderList fields) {
        return new S3Response(
                answer.status(),
                new HeaderList(Stream.concat(answer.headers().fields().stream(), fields.fields().stream())
                        .toList()),
                answer.body());
    }

    private S3Request read(S3Exchange exchange) {
        exchange.refusal().ifPresent(reason -> {
            throw reason;
        });
        RequestTarget target = RequestTarget.parse(
                exchange.rawTarget(), hosts.bucket(exchange.headers().all("host")));
        return new S3Request(exchange.method(), target, exchange.headers(), exchange.body(), exchange.requestId());
    }

    private S3Handler handler(S3Operation operation) {
        S3Handler handler = handlers.get(operation);
        if (handler == null) {
            throw new IllegalStateException("no handler for " + operation.wireName());
        }
        return handler;
    }

    private static S3Response errorAnswer(S3Exchange exchange, RequestObservation observation, Throwable failure) {
        S3Exception error = observation.detailed(toS3(exchange, failure));
        S3Response answer = ErrorResponses.of(error, observation.resource(), exchange.requestId());
        // What was refused before a backend came into play has nothing to tell of a cache.
        S3Response told = failure instanceof BackendException ? CacheResult.told(answer) : answer;
        return exchange.method().equals("HEAD") ? told.headOnly() : told;
    }

    private static S3Exception toS3(S3Exchange exchange, Throwable failure) {
        if (failure instanceof S3Exception error) {
            return error;
        }
        if (failure instanceof BackendException backend) {
            logBackend(exchange, backend);
            return BackendErrorMapper.toS3(backend);
        }
        if (failure instanceof ClientDisconnectedException) {
            // In the middle of its body. Nobody reads the answer, and nobody is to blame.
            return new S3Exception(S3ErrorCode.REQUEST_TIMEOUT);
        }
        log.error("Request {} failed unexpectedly: {}", exchange.requestId(), describe(exchange), failure);
        return new S3Exception(S3ErrorCode.INTERNAL_ERROR);
    }

    /** An absent key is an answer; a backend in trouble or one that refuses us is news. */
    private static void logBackend(S3Exchange exchange, BackendException failure) {
        if (isWarnedOf(failure)) {
            log.debug("Request {}: {}", exchange.requestId(), words(failure));
            return;
        }
        switch (failure.kind()) {
            case ACCESS_DENIED, CREDENTIALS_REJECTED, UNAVAILABLE, THROTTLED, INVALID_RESPONSE, VERSION_CHANGED ->
                log.warn("Request {}: {}", exchange.requestId(), words(failure));
            case UNEXPECTED ->
                log.error("Request {} failed unexpectedly: {}", exchange.requestId(), describe(exchange), failure);
            default -> log.debug("Request {}: {}", exchange.requestId(), words(failure));
        }
    }

    /** Where it was called, once for all requests that meet the same. */
    private static boolean isWarnedOf(BackendException failure) {
        return failure.backend().isPresent() && failure.kind() != BackendException.FailureKind.VERSION_CHANGED;
    }

    private static void logBroken(S3Exchange exchange, Throwable failure) {
        if (failure instanceof BackendException broken && !isWarnedOf(broken)) {
            log.warn("Request {}: the answer broke off: {}", exchange.requestId(), words(broken));
        } else if (!(failure instanceof ClientDisconnectedException)) {
            log.debug("Request {}: the answer could not be sent", exchange.requestId(), failure);
        }
    }

    /** A backend's message may hold a key, and so a line of a stranger's own. */
    private static String words(BackendException failure) {
        return LogSanitizer.escape(String.valueOf(failure.getMessage()));
    }

    private static String describe(S3Exchange exchange) {
        String target = exchange.rawTarget();
        int query = target.indexOf('?'); // a query may hold a signature
        return LogSanitizer.escape(exchange.method() + " " + (query < 0 ? target : target.substring(0, query)));
    }
}
