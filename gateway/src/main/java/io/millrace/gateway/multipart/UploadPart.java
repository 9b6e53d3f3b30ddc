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
 * Stores one part, its bytes streamed to the backend as they come.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html">UploadPart</a>
 */
public final class UploadPart implements S3Handler {
    private final Buckets buckets;

    public UploadPart(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.UPLOAD_PART;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        UploadTarget target = UploadTarget.of(admission, buckets);
        int number = UploadTarget.partNumber(admission);
        HeaderList fields = BackendFields.amz(admission, target.bucket(), true);
        return admission
                .body()
                .flatMap(body -> target.bucket().backend().putPart(target.upload(), number, fields, body))
                .map(part -> S3Answer.empty(
                        200, part.headers().with("etag", part.eTag().toString())));
    }
}
