package io.millrace.gateway.write;

import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Deletes a key, or one version of it.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html">DeleteObject</a>
 */
public final class DeleteObject implements S3Handler {
    private final Buckets buckets;
    private final ObjectWrites writes;

    public DeleteObject(Buckets buckets, ObjectWrites writes) {
        this.buckets = buckets;
        this.writes = writes;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.DELETE_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        if (!admission.mayDelete(admission.key())) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        BucketView bucket = buckets.find(admission.bucket());
        ObjectRef object = bucket.at(admission.key());
        Optional<String> version = bucket.versionId(admission.request().target().parameter("versionId"));
        Deletion deletion = new Deletion(
                object, version, WriteConditions.of(admission.request().headers()));
        return writes.fenced(
                        bucket,
                        object,
                        version,
                        bucket.backend().delete(deletion, BackendFields.amz(admission, bucket, false)))
                .map(deleted -> S3Answer.empty(204, deleted.headers()));
    }
}
