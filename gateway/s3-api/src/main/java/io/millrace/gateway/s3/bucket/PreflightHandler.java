package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Answers preflight requests of browsers by the CORS rules of the bucket. They are unsigned and reveal nothing else.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html">OPTIONS object</a>
 */
record PreflightHandler(CorsRuleCache rules) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        PreflightRequest request = PreflightRequest.of(authorized.request().headers());
        return rules.preflight(
                        authorized.bucket(),
                        request,
                        authorized.request().source().network())
                .map(fields -> S3Response.empty(200, fields));
    }
}
