package io.millrace.gateway.cors;

import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * A browser asks, without a signature, what a script may do. It learns the rules and nothing else.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html">OPTIONS object</a>
 */
public final class Preflight implements S3Handler {
    private final S3Operation operation;
    private final CorsRules rules;

    /**
     * @param operation on a bucket, or on an object
     */
    public Preflight(S3Operation operation, CorsRules rules) {
        this.operation = operation;
        this.rules = rules;
    }

    @Override
    public S3Operation operation() {
        return operation;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        PreflightRequest asked = PreflightRequest.of(admission.request().headers());
        return rules.preflight(admission.bucket(), asked).map(fields -> S3Answer.empty(200, fields));
    }
}
