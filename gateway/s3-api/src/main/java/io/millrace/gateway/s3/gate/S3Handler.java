package io.millrace.gateway.s3.gate;

import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/** Serves one S3 operation. Called on an event loop; must not block. */
@FunctionalInterface
public interface S3Handler {
    /**
     * Serves the request. A failure with an {@link io.millrace.gateway.error.S3Exception} or a
     * {@link io.millrace.backend.spi.BackendException} becomes its S3 error, any other an InternalError. Cancelled when
     * the client disconnects. The fast path sends the response to a read of an object at once if it is known, as an
     * {@link io.millrace.kit.async.ImmediateMono} is; otherwise the result may never be subscribed to.
     */
    Mono<S3Response> handle(AuthorizedRequest authorized);
}
