package io.millrace.gateway.multipart;

import io.millrace.backend.spi.MultipartUploads.Begun;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.BeginningUploads;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import java.time.Instant;
import reactor.core.publisher.Mono;

/**
 * Begins an upload in parts.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html">CreateMultipartUpload</a>
 */
public final class CreateMultipartUpload implements S3Handler {
    private final Buckets buckets;
    private final BeginningUploads beginning;

    /** @param beginning those of jobs, beside which none of their key is begun */
    public CreateMultipartUpload(Buckets buckets, BeginningUploads beginning) {
        this.buckets = buckets;
        this.beginning = beginning;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.CREATE_MULTIPART_UPLOAD;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        NewObject object =
                new NewObject(bucket.at(admission.key()), BackendFields.of(admission, bucket), WriteCondition.ALWAYS);
        if (beginning.contains(bucket.backendName(), object.object(), Instant.now())) {
            throw new S3Exception(
                    S3ErrorCode.SLOW_DOWN, "A job is beginning an upload of this key. Please try again in a moment.");
        }
        return bucket.backend().createUpload(object).map(begun -> answer(admission, begun));
    }

    private static S3Answer answer(Admission admission, Begun begun) {
        XmlDocument xml = XmlDocument.of("InitiateMultipartUploadResult")
                .element("Bucket", admission.bucket().value())
                .element("Key", admission.key().value())
                .element("UploadId", begun.upload().uploadId());
        return S3Answer.xml(200, begun.headers(), xml.bytes());
    }
}
