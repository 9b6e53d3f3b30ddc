package io.millrace.gateway.s3.object;

import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Returns the headers of a GetObject response without the body.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html">HeadObject</a>
 */
record HeadObject(ObjectReadHandler reads) implements S3Handler {
    @Override
    public S3Operation operation() {
        return S3Operation.HEAD_OBJECT;
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        return reads.head(authorized);
    }
}
