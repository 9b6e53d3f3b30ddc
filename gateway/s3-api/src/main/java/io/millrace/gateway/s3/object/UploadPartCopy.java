package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.CopyOrigin;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * Uploads a part with bytes copied from an object. The backend copies, or the gateway streams the bytes from another
 * backend.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html">UploadPartCopy</a>
 */
record UploadPartCopy(BucketRegistry buckets, CopySourceResolver sources) implements S3Handler {
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]{1,18})-([0-9]{1,18})");

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        UploadReference target = UploadReference.of(authorized, buckets);
        int number = UploadReference.partNumber(authorized);
        CopyOrigin source = sources.source(authorized);
        Optional<ByteRange> range =
                authorized.request().amzField("x-amz-copy-source-range").map(UploadPartCopy::range);
        HeaderList fields = ForwardedHeaders.amz(authorized, target.bucket(), true);
        return WhitespaceKeepAliveResponse.response(
                authorized,
                copy(target, number, source, range, fields)
                        .map(part -> CopyResponses.of(
                                "CopyPartResult", Optional.of(part.eTag()), part.lastModified(), part.headers())));
    }

    private Mono<StoredPart> copy(
            UploadReference target, int number, CopyOrigin source, Optional<ByteRange> range, HeaderList fields) {
        Backend backend = target.bucket().backend();
        if (source.isInside(target.bucket())) {
            return backend.copyPart(target.upload(), number, source.what(), range, fields);
        }
        return sources.through(
                source, range, fields, opened -> backend.putPart(target.upload(), number, fields, opened.body()));
    }

    private static ByteRange range(String text) {
        Matcher range = RANGE.matcher(text.strip());
        if (range.matches()) {
            long first = Long.parseLong(range.group(1));
            long last = Long.parseLong(range.group(2));
            if (first <= last) {
                return new ByteRange(first, last);
            }
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT,
                        "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last"
                                + " are the zero-based offsets of the first and last bytes to copy")
                .with("ArgumentName", "x-amz-copy-source-range")
                .with("ArgumentValue", text);
    }
}
