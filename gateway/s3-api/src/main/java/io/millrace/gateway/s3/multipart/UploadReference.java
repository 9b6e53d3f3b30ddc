package io.millrace.gateway.s3.multipart;

import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;

/** The upload a request is about. */
record UploadReference(BucketView bucket, MultipartUpload upload) {
    static UploadReference of(AuthorizedRequest admission, BucketRegistry buckets) {
        BucketView bucket = buckets.find(admission.bucket());
        String id = admission.request().target().parameter("uploadId").orElse("");
        if (id.isEmpty()) {
            throw new S3Exception(S3ErrorCode.NO_SUCH_UPLOAD);
        }
        return new UploadReference(bucket, new MultipartUpload(bucket.at(admission.key()), id));
    }

    /**
     * The number of the part a request is about.
     *
     * @throws S3Exception InvalidArgument if it is none
     */
    static int partNumber(AuthorizedRequest admission) {
        String text = admission.request().target().parameter("partNumber").orElse("");
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= MultipartUploads.MAX_PARTS) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Answered as any other number that no part has.
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT, "Part number must be an integer between 1 and 10000, inclusive")
                .with("ArgumentName", "partNumber")
                .with("ArgumentValue", text);
    }
}
