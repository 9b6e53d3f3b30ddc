package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Copies objects within the account. The service copies up to 256 MiB at once (Copy Blob From URL), properties and
 * metadata included. Larger objects, and copies with new headers, are streamed through this machine, because the
 * service's own asynchronous copy shows its target before it is complete.
 */
record BlobCopier(BlobClient client, BlobReader reader, BlobWriter writer) {
    /** The limit of Copy Blob From URL. */
    static final long MAX_BYTES_AT_ONCE = 256L << 20;

    Mono<WriteResult> copy(CopySource source, NewObject target) {
        BlobRequestContext context = BlobRequestContext.write("copy to", target.object());
        boolean replaces = target.headers()
                .first("x-amz-metadata-directive")
                .filter("REPLACE"::equalsIgnoreCase)
                .isPresent();
        return Mono.fromRunnable(() -> validate(source, target, replaces))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then(Mono.defer(() -> head(source)))
                .flatMap(head -> replaces || head.head().size() > MAX_BYTES_AT_ONCE
                        ? stream(source, head, target, replaces)
                        : copyAtOnce(source, head, target, context));
    }

    /** Reads the metadata of a source, and evaluates the conditions on it. */
    Mono<HeadResult> head(CopySource source) {
        return Mono.defer(() -> {
                    requireCurrent(source);
                    return reader.head(ReadRequest.of(source.object())
                            .withConditions(source.conditions())
                            .withChecksums());
                })
                .onErrorMap(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NOT_MODIFIED
                                ? new BackendException(
                                        FailureKind.PRECONDITION_FAILED, String.valueOf(failure.getMessage()))
                                : failure);
    }

    private static void validate(CopySource source, NewObject target, boolean replaces) {
        BlobNameRules.requireWritable(target.object());
        BlobHeaderMapper.toBlob(target.headers());
        if (!replaces && source.object().equals(target.object())) {
            String message = "This copy request is illegal because it is trying to copy an object to itself without"
                    + " changing the object's metadata, storage class, website redirect location or encryption"
                    + " attributes.";
            throw new BackendException(FailureKind.INVALID_REQUEST, message)
                    .withS3Error(new S3Error(400, "InvalidRequest", message));
        }
    }

    private static void requireCurrent(CopySource source) {
        if (source.versionId().filter(id -> !id.equals("null")).isPresent()) {
            throw new BackendException(FailureKind.UNSUPPORTED, "versions of blobs are not supported");
        }
    }

    private Mono<WriteResult> copyAtOnce(
            CopySource source, HeadResult head, NewObject target, BlobRequestContext context) {
        return client.grantRead(source.object())
                .flatMap(access -> client.exchangeLong(request(head, target, access)))
                .map(reply ->
                        complete(reply, BlobHeaderMapper.checksums(head.head().headers())))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .onErrorResume(
                        BackendException.class,
                        failure -> writer.orMissing(target.object(), target.condition(), failure));
    }

    private static BlobRequest request(HeadResult head, NewObject target, CopySourceAccess access) {
        BlobRequest request = BlobRequest.to("PUT", target.object())
                .withHeader("x-ms-copy-source", access.url())
                .withHeader("x-ms-requires-sync", "true")
                .withHeader("x-ms-source-if-match", head.head().version().validator())
                .withHeaders(access.headers())
                .withHeaders(WriteConditionHeaders.of(target.condition()));
        return hasTags(head) ? request.withHeader("x-ms-copy-source-tag-option", "COPY") : request;
    }

    private static boolean hasTags(HeadResult head) {
        return head.head().headers().first("x-amz-tagging-count").isPresent();
    }

    private static WriteResult complete(BufferedResponse reply, HeaderList checksums) {
        String status = reply.header("x-ms-copy-status").orElse("of unknown state");
        if (!status.equals("success")) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "the copy is " + status + " though it was to be complete");
        }
        return BlobWriter.copied(reply, checksums);
    }

    private Mono<WriteResult> stream(CopySource source, HeadResult head, NewObject target, boolean replaces) {
        if (hasTags(head)) {
            return Mono.error(new BackendException(
                    FailureKind.UNSUPPORTED,
                    "a copy with new headers, or of more than 256 MiB, would lose the blob's tags"));
        }
        HeaderList sourceHeaders = head.head().headers();
        HeaderList headers =
                (replaces ? target.headers() : copied(sourceHeaders)).with(BlobHeaderMapper.checksums(sourceHeaders));
        NewObject copy = new NewObject(target.object(), headers, target.condition());
        return reader.open(ReadRequest.of(source.object())
                        .requireVersion(head.head().version()))
                .flatMap(content -> put(copy, content))
                .map(written -> new WriteResult(
                        written.eTag(),
                        written.headers(),
                        Optional.of(Instant.now().truncatedTo(ChronoUnit.SECONDS))));
    }

    private Mono<WriteResult> put(NewObject copy, ObjectContent content) {
        return writer.put(copy, UploadBody.of(content.length(), content.body()));
    }

    /** Returns the headers of the source that a copy keeps. */
    private static HeaderList copied(HeaderList headers) {
        return headers.where(name -> !name.startsWith("x-amz-") || name.startsWith("x-amz-meta-"));
    }
}
