package io.millrace.gateway.s3.gate;

import io.millrace.cache.BlockCache;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import reactor.core.publisher.Mono;

/** Serves one operation. Called on an event loop: it must not block. */
public interface S3Handler {
    /**
     * Key of the subscriber's context: the {@link java.util.concurrent.Executor} of the client's own thread. A body whose
     * pieces come on it saves a hop.
     */
    String EXECUTOR = BlockCache.EXECUTOR;

    /** The operation it serves. */
    S3Operation operation();

    /**
     * The answer, or a failure: an {@link io.millrace.gateway.error.S3Exception} or a
     * {@link io.millrace.backend.spi.BackendException} becomes its S3 error, anything else an InternalError. Cancelled when
     * the client leaves.
     */
    Mono<S3Response> handle(AuthorizedRequest admission);
}
