package io.millrace.gateway.server;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.cors.CorsRules;
import io.millrace.gateway.error.BackendErrors;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.Gate;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.CacheResult;
import io.millrace.gateway.http.ErrorAnswers;
import io.millrace.gateway.http.HostRule;
import io.millrace.gateway.http.RequestTarget;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.S3Request;
import io.millrace.gateway.observe.LogText;
import io.millrace.gateway.observe.S3Recorder;
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
public final class S3Service {
    private static final Logger log = LoggerFactory.getLogger(S3Service.class);

    private final HostRule hosts;
    private final Gate gate;
    private final CorsRules cors;
    private final Map<S3Operation, S3Handler> handlers = new EnumMap<>(S3Operation.class);
    private final S3Recorder recorder;

    /**
     * @param handlers one for each operation
     * @throws IllegalArgumentException if an operation has none
     */
    public S3Service(HostRule hosts, Gate gate, CorsRules cors, List<S3Handler> handlers, S3Recorder recorder) {
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
                            UnsendableHeadException.class, e -> exchange.send(errorAnswer(exchange, observation, e)))
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

    private Mono<S3Answer> answer(S3Exchange exchange, RequestObservation observation) {
        return Mono.defer(() -> {
            S3Request request = read(exchange);
            observation.read(request);
            Admission admission;
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

    private Mono<S3Answer> handled(Admission admission) {
        return handler(admission.operation()).handle(admission).map(CacheResult::told);
    }

    /** Errors too: a script must be able to read why. */
    private Mono<S3Answer> shownToScripts(S3Request request, Mono<S3Answer> answer) {
        return request.headers().first("origin").isEmpty()
                ? answer
                : cors.fieldsFor(request).flatMap(fields -> answer.map(of -> shownToScripts(of, fields)));
    }

    private static S3Answer shownToScripts(S3Answer answer, HeaderList fields) {
        return new S3Answer(
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

    private static S3Answer errorAnswer(S3Exchange exchange, RequestObservation observation, Throwable failure) {
        S3Exception error = observation.detailed(toS3(exchange, failure));
        S3Answer answer = ErrorAnswers.of(error, observation.resource(), exchange.requestId());
        // What was refused before a backend came into play has nothing to tell of a cache.
        S3Answer told = failure instanceof BackendException ? CacheResult.told(answer) : answer;
        return exchange.method().equals("HEAD") ? told.headOnly() : told;
    }

    private static S3Exception toS3(S3Exchange exchange, Throwable failure) {
        if (failure instanceof S3Exception error) {
            return error;
        }
        if (failure instanceof BackendException backend) {
            logBackend(exchange, backend);
            return BackendErrors.toS3(backend);
        }
        if (failure instanceof ClientLeftException) {
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
            case ACCESS_DENIED, CREDENTIALS_REJECTED, UNAVAILABLE, THROTTLED, BROKEN_ANSWER, VERSION_CHANGED ->
                log.warn("Request {}: {}", exchange.requestId(), words(failure));
            case UNEXPECTED ->
                log.error("Request {} failed unexpectedly: {}", exchange.requestId(), describe(exchange), failure);
            default -> log.debug("Request {}: {}", exchange.requestId(), words(failure));
        }
    }

    /** Where it was called, once for all requests that meet the same. */
    private static boolean isWarnedOf(BackendException failure) {
        return failure.backend().isPresent() && failure.kind() != BackendException.Kind.VERSION_CHANGED;
    }

    private static void logBroken(S3Exchange exchange, Throwable failure) {
        if (failure instanceof BackendException broken && !isWarnedOf(broken)) {
            log.warn("Request {}: the answer broke off: {}", exchange.requestId(), words(broken));
        } else if (!(failure instanceof ClientLeftException)) {
            log.debug("Request {}: the answer could not be sent", exchange.requestId(), failure);
        }
    }

    /** A backend's message may hold a key, and so a line of a stranger's own. */
    private static String words(BackendException failure) {
        return LogText.escape(String.valueOf(failure.getMessage()));
    }

    private static String describe(S3Exchange exchange) {
        String target = exchange.rawTarget();
        int query = target.indexOf('?'); // a query may hold a signature
        return LogText.escape(exchange.method() + " " + (query < 0 ? target : target.substring(0, query)));
    }
}
