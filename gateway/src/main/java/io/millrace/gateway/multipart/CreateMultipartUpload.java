package io.millrace.gateway.multipart;

import io.millrace.backend.spi.MultipartUploads.Begun;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import reactor.core.publisher.Mono;

/**
 * Begins an upload in parts.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html">CreateMultipartUpload</a>
 */
public final class CreateMultipartUpload implements S3Handler {
    private final Buckets buckets;

    public CreateMultipartUpload(Buckets buckets) {
        this.buckets = buckets;
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
