package io.millrace.gateway.object;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * Streams an object, a range or a part of it, through from its backend.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html">GetObject</a>
 */
public final class GetObject implements S3Handler {
    private final ObjectReads reads;

    public GetObject(Buckets buckets) {
        this.reads = new ObjectReads(buckets);
    }

    @Override
    public S3Operation operation() {
        return S3Operation.GET_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        return reads.answer(admission, GetObject::open);
    }

    private static Mono<S3Answer> open(Backend backend, PlannedRead read) {
        return backend.open(read.request())
                .map(content -> stream(read, content))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }

    private static S3Answer stream(PlannedRead read, ObjectContent content) {
        return read.answer(content.head(), content.range(), new S3Answer.Pieces(content));
    }
}
