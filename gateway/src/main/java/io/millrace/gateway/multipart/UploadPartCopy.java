package io.millrace.gateway.multipart;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.write.CopyAnswers;
import io.millrace.gateway.write.CopySources;
import io.millrace.gateway.write.LongWork;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * Stores one part out of an object: by the backend, or through here if that is on another one.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html">UploadPartCopy</a>
 */
public final class UploadPartCopy implements S3Handler {
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]{1,18})-([0-9]{1,18})");

    private final Buckets buckets;
    private final CopySources sources;

    public UploadPartCopy(Buckets buckets, CopySources sources) {
        this.buckets = buckets;
        this.sources = sources;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.UPLOAD_PART_COPY;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        UploadTarget target = UploadTarget.of(admission, buckets);
        int number = UploadTarget.partNumber(admission);
        CopySources.Source source = sources.source(admission);
        Optional<ByteRange> range =
                admission.request().amzField("x-amz-copy-source-range").map(UploadPartCopy::range);
        HeaderList fields = BackendFields.amz(admission, target.bucket(), true);
        return LongWork.answer(
                admission,
                copy(target, number, source, range, fields)
                        .map(part -> CopyAnswers.of(
                                "CopyPartResult", Optional.of(part.eTag()), part.lastModified(), part.headers())));
    }

    private Mono<StoredPart> copy(
            UploadTarget target, int number, CopySources.Source source, Optional<ByteRange> range, HeaderList fields) {
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
                        "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are"
                                + " the zero-based offsets of the first and last bytes to copy")
                .with("ArgumentName", "x-amz-copy-source-range")
                .with("ArgumentValue", text);
    }
}
