package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;

/** The multipart upload that a request names, and its bucket. */
record UploadReference(BucketView bucket, MultipartUpload upload) {
    static UploadReference of(AuthorizedRequest authorized, BucketRegistry buckets) {
        BucketView bucket = buckets.find(authorized.bucket());
        String id = authorized.request().target().parameter("uploadId").orElse("");
        if (id.isEmpty()) {
            throw new S3Exception(S3ErrorCode.NO_SUCH_UPLOAD);
        }
        return new UploadReference(bucket, new MultipartUpload(bucket.at(authorized.key()), id));
    }

    /**
     * Returns the part number of a request.
     *
     * @throws S3Exception InvalidArgument if it is missing or invalid
     */
    static int partNumber(AuthorizedRequest authorized) {
        String text = authorized.request().target().parameter("partNumber").orElse("");
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= MultipartUploads.MAX_PARTS) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Rejected below, as a number out of range is.
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT, "Part number must be an integer between 1 and 10000, inclusive")
                .with("ArgumentName", "partNumber")
                .with("ArgumentValue", text);
    }
}
