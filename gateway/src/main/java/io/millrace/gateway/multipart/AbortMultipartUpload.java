package io.millrace.gateway.multipart;

import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import reactor.core.publisher.Mono;

/**
 * Gives an upload up, and its parts.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html">AbortMultipartUpload</a>
 */
public final class AbortMultipartUpload implements S3Handler {
    private final Buckets buckets;

    public AbortMultipartUpload(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.ABORT_MULTIPART_UPLOAD;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        UploadTarget target = UploadTarget.of(admission, buckets);
        return target.bucket()
                .backend()
                .abortUpload(target.upload(), BackendFields.amzOfDocument(admission, target.bucket()))
                .thenReturn(S3Answer.empty(204, HeaderList.EMPTY));
    }
}
