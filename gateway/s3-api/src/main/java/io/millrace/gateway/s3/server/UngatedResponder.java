package io.millrace.gateway.s3.server;

import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Responds to requests at the S3 port that are no operation of S3 and so are none of its gate, such as those of STS. It
 * verifies them itself, and writes what belongs into the audit log.
 */
public interface UngatedResponder {
    /** Returns whether the request is one of its own; S3 never sees it then. */
    boolean accepts(S3Request request);

    /**
     * Returns the response, also to what it refuses: it makes its errors in its own format, and tells the observation
     * their code. Other failures become errors of S3.
     */
    Mono<S3Response> respond(S3Request request, RequestObservation observation);
}
