package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.CopyOrigin;
import io.millrace.gateway.objects.write.OpenedCopyOrigin;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Resolves the source of a copy request: its bucket, and the caller's right to read it. It opens a source on another
 * backend than the target, for streaming through the gateway.
 */
record CopySourceResolver(BucketRegistry buckets) {
    /** S3's limit for one copy and one write, in bytes. */
    private static final long MAX_BYTES = 5L << 30;

    /**
     * Returns the source that a request names.
     *
     * @throws S3Exception if it names none, or one that the caller may not read
     */
    CopyOrigin source(AuthorizedRequest authorized) {
        CopySourceName name = CopySourceName.of(authorized);
        BucketView bucket = buckets.find(name.bucket());
        ObjectRef object = bucket.at(name.key());
        return new CopyOrigin(
                bucket,
                new CopySource(object, bucket.versionId(name.versionId()), CopySourceConditionParser.of(authorized)));
    }

    /**
     * Reads the source and passes its metadata and bytes to {@code write}.
     *
     * @param range the bytes to copy; all if empty
     * @param fields the headers of the request; those that only a copy inside one backend supports are rejected
     */
    <T> Mono<T> through(
            CopyOrigin source,
            Optional<ByteRange> range,
            HeaderList fields,
            Function<OpenedCopyOrigin, Mono<T>> write) {
        for (HeaderList.HeaderField field : fields.fields()) {
            if (field.name().startsWith("x-amz-copy-source-") || field.name().startsWith("x-amz-source-")) {
                throw new S3Exception(
                                S3ErrorCode.NOT_IMPLEMENTED,
                                "This copy goes from one backend to another, and is not done with this header.")
                        .with("Header", field.name());
            }
        }
        ReadRequest whole = ReadRequest.of(source.what().object())
                .withConditions(source.what().conditions());
        ReadRequest versioned =
                source.what().versionId().map(whole::withVersionId).orElse(whole);
        ReadRequest read = range.map(bytes -> versioned.withSelection(
                        new ByteSelection.RangeSelection(new RangeSpec.Bounded(bytes.first(), bytes.last()))))
                .orElse(versioned);
        return source.bucket()
                .backend()
                .open(read)
                .onErrorMap(BackendException.class, CopySourceResolver::ofTheSource)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMap(content -> {
                    if (content.length() > MAX_BYTES) {
                        content.discard();
                        return Mono.error(new S3Exception(
                                S3ErrorCode.INVALID_REQUEST,
                                "The specified copy source is larger than the maximum allowable size for a copy source:"
                                        + " "
                                        + MAX_BYTES));
                    }
                    if (range.isPresent() && range.get().length() != content.length()) {
                        content.discard();
                        return Mono.error(new S3Exception(
                                S3ErrorCode.INVALID_ARGUMENT, "Range specified is not valid for the source object"));
                    }
                    return OpenedCopyOrigin.use(content, write);
                });
    }

    /** Maps a source that was not modified to a failed precondition. */
    private static Throwable ofTheSource(BackendException failure) {
        return failure.kind() == FailureKind.NOT_MODIFIED ? new S3Exception(S3ErrorCode.PRECONDITION_FAILED) : failure;
    }
}
