package io.millrace.gateway.s3.server;

import io.millrace.gateway.s3.protocol.S3Response;
import java.util.function.Supplier;

/**
 * A response of the fast path, whose headers and body are in memory.
 *
 * @param response owned by the caller
 * @param observation starts the observation of the request, which the outcome of sending ends
 */
record FastPathResponse(S3Response response, Supplier<RequestObservation> observation) {}
