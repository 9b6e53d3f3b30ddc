package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.HttpDate;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Writes and deletes objects: Put Blob and Delete Blob. */
record BlobWriter(BlobClient client, BlobReader reader) implements ObjectWriter {
    /** Deletes of one batch at a time. */
    private static final int PARALLEL_DELETES = 16;

    /** The largest body of one Put Blob. S3's limit is 5 GiB, which is 2 % more. */
    static final long MAX_BYTES = 5000L << 20;

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        BlobRequestContext context = BlobRequestContext.write("PUT", object.object());
        return Mono.fromSupplier(() -> putRequest(object, body))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .flatMap(request -> client.upload(
                        request, body, failure -> client.failures().map(context, failure)))
                .map(reply -> written(reply, BlobHeaderMapper.checksums(object.headers())))
                .onErrorResume(
                        BackendException.class,
                        failure -> this.<WriteResult>orMissing(object.object(), object.condition(), failure));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        BlobRequestContext context = BlobRequestContext.write("DELETE", deletion.object());
        return Mono.defer(() -> client.exchange(deleteRequest(deletion, headers)))
                .thenReturn(new DeleteResult(HeaderList.EMPTY))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .onErrorResume(
                        BackendException.class,
                        failure -> this.<DeleteResult>orMissing(deletion.object(), deletion.condition(), failure))
                .onErrorResume(BackendException.class, BlobWriter::successIfMissing);
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return ObjectWriter.deleteEach(this, deletions, headers, PARALLEL_DELETES);
    }

    /**
     * Fails with NO_SUCH_KEY instead of a failed {@code If-Match} if there is no object, which Azure does not
     * distinguish; otherwise as before.
     */
    <T> Mono<T> orMissing(ObjectRef object, WriteCondition condition, BackendException failure) {
        boolean matches = condition instanceof WriteCondition.IfMatches || condition instanceof WriteCondition.IfExists;
        return matches && failure.kind() == FailureKind.PRECONDITION_FAILED
                ? reader.orMissing(object, failure)
                : Mono.error(failure);
    }

    /** @param checksums of the object, for the client */
    static WriteResult written(BufferedResponse reply, HeaderList checksums) {
        return new WriteResult(Optional.of(tag(reply)), checksums, Optional.empty());
    }

    /** @param checksums of the object, for the client */
    static WriteResult copied(BufferedResponse reply, HeaderList checksums) {
        return new WriteResult(
                Optional.of(tag(reply)),
                checksums,
                reply.header("last-modified").flatMap(HttpDate::parse));
    }

    /** Returns the tag of what was written; fails without one, as clients commit by it. */
    private static ETag tag(BufferedResponse reply) {
        return reply.header("etag")
                .map(ETag::parse)
                .filter(tag -> !tag.opaque().isEmpty())
                .orElseThrow(() -> new BackendException(
                        FailureKind.INVALID_RESPONSE,
                        "the service responded with success but without an ETag; the outcome of the write is unknown"));
    }

    /** Refuses a checksum after the body that the gateway cannot have verified. */
    static void requireVerified(UploadBody body) {
        body.trailer()
                .filter(trailer -> ChecksumAlgorithm.ofHeader(trailer.name())
                        .filter(ChecksumAlgorithm::isComputed)
                        .isEmpty())
                .ifPresent(trailer -> {
                    throw UnsupportedHeaderErrors.error(trailer.name(), AzureBackendProvider.TYPE);
                });
    }

    /** Returns the client's Content-MD5, which the service verifies. */
    static List<HeaderField> contentMd5(HeaderList headers) {
        return headers.fields().stream()
                .filter(field -> field.name().equals(BlobHeaderMapper.CONTENT_MD5))
                .toList();
    }

    static BackendException tooLarge(String what, long limit) {
        String message = "%s may have %d MiB at most at Azure".formatted(what, limit >> 20);
        return new BackendException(FailureKind.INVALID_REQUEST, message)
                .withS3Error(new S3Error(400, "EntityTooLarge", message));
    }

    private static BlobRequest putRequest(NewObject object, UploadBody body) {
        BlobNameRules.requireWritable(object.object());
        requireVerified(body);
        if (body.length() > MAX_BYTES) {
            throw tooLarge("An object that is not uploaded in parts", MAX_BYTES);
        }
        return BlobRequest.to("PUT", object.object())
                .withHeader("x-ms-blob-type", "BlockBlob")
                .withHeaders(BlobHeaderMapper.toBlob(object.headers()))
                .withHeaders(contentMd5(object.headers()))
                .withHeaders(WriteConditionHeaders.of(object.condition()));
    }

    private static BlobRequest deleteRequest(Deletion deletion, HeaderList headers) {
        BlobNameRules.requireReadable(deletion.object());
        BlobHeaderMapper.requireAccepted(headers);
        BlobHeaderMapper.requireAccepted(deletion.conditionHeaders());
        if (deletion.versionId().filter(id -> !id.equals("null")).isPresent()) {
            throw new BackendException(FailureKind.UNSUPPORTED, "versions of blobs are not supported");
        }
        return BlobRequest.to("DELETE", deletion.object()).withHeaders(WriteConditionHeaders.of(deletion.condition()));
    }

    private static Mono<DeleteResult> successIfMissing(BackendException failure) {
        return failure.kind() == FailureKind.NO_SUCH_KEY
                ? Mono.just(new DeleteResult(HeaderList.EMPTY))
                : Mono.error(failure);
    }
}
