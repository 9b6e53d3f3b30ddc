package io.millrace.gateway.write;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * Stores an object, its bytes streamed to the backend as they come.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html">PutObject</a>
 */
public final class PutObject implements S3Handler {
    private final Buckets buckets;
    private final ObjectWrites writes;

    public PutObject(Buckets buckets, ObjectWrites writes) {
        this.buckets = buckets;
        this.writes = writes;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.PUT_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        NewObject object = new NewObject(
                bucket.at(admission.key()),
                BackendFields.of(admission, bucket),
                WriteConditions.of(admission.request().headers()));
        return admission
                .body()
                .flatMap(body -> writes.put(bucket, object, body))
                .map(written -> S3Answer.empty(200, told(written)));
    }

    private static HeaderList told(Written written) {
        return written.eTag()
                .map(tag -> written.headers().with("etag", tag.toString()))
                .orElse(written.headers());
    }
}
