package io.millrace.gateway.object;

import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * What GetObject would answer, without the bytes.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html">HeadObject</a>
 */
public final class HeadObject implements S3Handler {
    private final ObjectReads reads;

    public HeadObject(ObjectReads reads) {
        this.reads = reads;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.HEAD_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        return reads.head(admission);
    }
}
