package io.millrace.gateway.s3.gate;

import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.routing.S3Operation;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Serves one S3 operation. Called on an event loop; must not block. */
public interface S3Handler {
    /** Returns the operation that this handler serves. */
    S3Operation operation();

    /**
     * Serves the request. A failure with an {@link io.millrace.gateway.error.S3Exception} or a
     * {@link io.millrace.backend.spi.BackendException} becomes its S3 error, any other an InternalError. Cancelled when
     * the client disconnects.
     */
    Mono<S3Response> handle(AuthorizedRequest authorized);

    /**
     * Returns the response if it is in memory, the same that {@link #handle} would give; empty if only that method can tell. May fail as
     * {@link #handle} does, or for any other reason; the request is then handled there.
     */
    default Optional<S3Response> handleFromMemory(AuthorizedRequest authorized) {
        return Optional.empty();
    }
}
