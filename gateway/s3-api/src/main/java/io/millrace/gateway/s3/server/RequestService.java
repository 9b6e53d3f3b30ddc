package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.TierRequest;
import io.millrace.gateway.s3.observe.RequestsInFlight;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.kit.share.Party;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Serves the requests of one port. */
public interface RequestService {
    /**
     * Serves one request. Completes after its response was sent or the connection was closed; fails only if no headers
     * could be sent.
     */
    Mono<Void> serve(S3Exchange exchange);

    /**
     * Returns the response to a request without a body if it is in memory; null if the request must be {@link #serve}d, whatever the
     * reason; {@link #serve} finds in it what the gate has said. Called on the connection's event loop.
     */
    default @Nullable FastPathResponse respondFromMemory(FastPathRequest received) {
        return null;
    }

    /**
     * A response of the fast path, whose headers and body are in memory.
     *
     * @param response owned by the caller
     * @param observation starts the observation of the request, which the outcome of sending ends
     */
    record FastPathResponse(S3Response response, Supplier<RequestObservation> observation) {}

    /** Responds to requests of another protocol than S3. */
    interface Responder {
        /** Returns the response. Its body is not sent if the request is a HEAD. */
        Mono<S3Response> respond(String method, String rawTarget, RequestHeaders headers, UnverifiedRequestBody body);

        /** Returns the response for a failure of {@link #respond}, or for a request that is not valid HTTP. */
        S3Response failed(String requestId, Throwable failure);
    }

    /**
     * Returns the service of a port whose requests this responds to.
     *
     * @param requests counts them
     */
    static RequestService of(Responder responder, RequestsInFlight requests) {
        return exchange -> requests.counted(Mono.defer(() -> exchange.refusal()
                        .<Mono<S3Response>>map(Mono::error)
                        .orElseGet(() -> responder.respond(
                                exchange.method(), exchange.rawTarget(), exchange.headers(), exchange.body())))
                .contextWrite(context -> new TierRequest(
                                GatewayHops.NONE,
                                false,
                                Party.ofNetwork(exchange.source().network()))
                        .writeTo(context))
                .onErrorResume(failure -> Mono.just(responder.failed(exchange.requestId(), failure)))
                .map(response -> exchange.method().equals("HEAD") ? response.headOnly() : response)
                .flatMap(exchange::send)
                // The connection is closed by now, see S3RequestService.
                .onErrorComplete(failure -> exchange.progress().status() != 0));
    }
}
