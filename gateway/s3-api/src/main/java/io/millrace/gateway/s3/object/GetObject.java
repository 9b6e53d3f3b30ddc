package io.millrace.gateway.s3.object;

import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Reads an object, a range or a part.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html">GetObject</a>
 */
record GetObject(ObjectReadHandler reads) implements S3Handler {
    @Override
    public S3Operation operation() {
        return S3Operation.GET_OBJECT;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        return reads.get(authorized);
    }
}
