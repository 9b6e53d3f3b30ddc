package io.millrace.gateway.s3.server;

import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * One HTTP request and the means to respond to it. The rest of the data plane sees no more of the socket, so another
 * HTTP server could replace Reactor Netty by implementing this.
 */
interface S3Exchange extends ReceivedRequest {
    /**
     * Sends the response; to be called once. Completes after the socket has taken all of it. If the client disconnected
     * ({@link ClientDisconnectedException}) or the body broke off, it fails and closes the connection. Cancellation
     * discards the body.
     */
    Mono<Void> send(S3Response response);
}
