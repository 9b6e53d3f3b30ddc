package io.millrace.gateway.object;

import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * An object, a range or a part of it.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html">GetObject</a>
 */
public final class GetObject implements S3Handler {
    private final ObjectReads reads;

    public GetObject(ObjectReads reads) {
        this.reads = reads;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.GET_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        return reads.get(admission);
    }
}
