package io.millrace.gateway.s3.server;

import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.S3Response;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Responds to the requests of one port in its protocol. It reads the head, has a gate or none, and tells the
 * observation what it learns; meters, logs, the send itself and a client that disconnects are no matter of it.
 */
public interface Responder {
    /** Returns whether the gate decides on its requests, and the audit log so has what it decided. */
    boolean isGated();

    /**
     * Returns the response; fails, or throws, with what {@link #failed} takes. The observation is told the
     * {@linkplain RequestObservation#read request} and its {@linkplain RequestObservation#requested operation} as soon
     * as they are known. The body of a response to a HEAD is not sent. Called on the connection's event loop; must not
     * block.
     *
     * @param received valid HTTP
     */
    Mono<S3Response> respond(ReceivedRequest received, RequestObservation observation);

    /**
     * Returns the error response in the protocol's format, and tells the observation its
     * {@linkplain RequestObservation#failed code}.
     *
     * @param failure of {@link #respond}; or an S3Exception for what is no valid HTTP
     */
    S3Response failed(ReceivedRequest received, RequestObservation observation, Throwable failure);

    /** Returns what {@link RequestService#respondFromMemory} does. */
    default RequestService.@Nullable FastPathResponse respondFromMemory(
            FastPathRequest received, RequestRecorder recorder) {
        return null;
    }
}
