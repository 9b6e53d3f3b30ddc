package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Serves the requests of one port, whatever protocol they have: observes each from its head to its end, has a responder
 * make the response, and sends it.
 */
public record RequestService(Responder responder, RequestRecorder recorder) {
    /**
     * A response of the fast path, whose headers and body are in memory.
     *
     * @param response owned by the caller
     * @param observation starts the observation of the request, which the outcome of sending ends
     */
    public record FastPathResponse(S3Response response, Supplier<RequestObservation> observation) {}

    /**
     * Serves one request. Completes after its response was sent or the connection was closed; fails only if no headers
     * could be sent.
     */
    Mono<Void> serve(S3Exchange exchange) {
        return Mono.defer(() -> {
            RequestObservation observation = new RequestObservation(exchange, recorder, false, System.nanoTime());
            if (!responder.isGated()) {
                observation.ungated();
            }
            return Mono.defer(() -> response(exchange, observation))
                    .switchIfEmpty(Mono.error(() -> new IllegalStateException("the responder returned no response")))
                    .onErrorResume(failure -> Mono.just(failed(exchange, observation, failure)))
                    .doOnNext(observation::responded)
                    .flatMap(response -> send(exchange, response))
                    .onErrorResume(
                            InvalidResponseHeadersException.class,
                            e -> send(exchange, failed(exchange, observation, e)))
                    .doOnSuccess(sent -> observation.sent())
                    .doOnError(failure -> {
                        FailedRequestLog.broken(exchange, failure);
                        observation.broken(failure);
                    })
                    .doOnCancel(observation::cancelled)
                    // After the headers, the connection is closed by now. Before them, Reactor Netty turns the failure
                    // into a 500, but completion would be an empty 200.
                    .onErrorComplete(failure -> exchange.progress().status() != 0);
        });
    }

    /**
     * Returns the response to a request without a body if it is in memory; null if the request must be {@link #serve}d,
     * whatever the reason; {@link #serve} finds in it what the gate has said. Called on the connection's event loop.
     */
    @Nullable FastPathResponse respondFromMemory(FastPathRequest received) {
        return responder.respondFromMemory(received, recorder);
    }

    private Mono<S3Response> response(S3Exchange exchange, RequestObservation observation) {
        exchange.refusal().ifPresent(reason -> {
            throw reason;
        });
        return responder.respond(exchange, observation);
    }

    private S3Response failed(S3Exchange exchange, RequestObservation observation, Throwable failure) {
        if (failure instanceof ClientDisconnectedException) {
            // In the middle of the request's body. After a reset, the kernel may still accept the response.
            observation.cancelled();
            return responder.failed(exchange, observation, new S3Exception(S3ErrorCode.REQUEST_TIMEOUT));
        }
        return responder.failed(exchange, observation, failure);
    }

    private static Mono<Void> send(S3Exchange exchange, S3Response response) {
        if (!exchange.method().equals("HEAD")) {
            return exchange.send(response);
        }
        S3Response head = response.headOnly();
        response.body().discard();
        return exchange.send(head);
    }
}
