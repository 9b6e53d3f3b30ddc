package io.millrace.backend.s3;

import io.millrace.backend.http.XmlWriter;
import io.millrace.backend.s3.client.RequestExecutor.RetryMode;
import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.request.UnsignedRequest;
import io.millrace.backend.s3.response.BackendExceptionMapper;
import io.millrace.backend.s3.response.ErrorContext;
import io.millrace.backend.s3.response.ErrorResponseException;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Deletes many keys with one DeleteObjects request. Uses DeleteObject for a single key without a version, for keys that XML cannot
 * represent, for conditional deletes, and for keys that are missing in the response.
 */
final class S3BatchDeleter {
    /** The most concurrent DeleteObject requests. */
    private static final int CONCURRENCY = 8;

    private final S3Client client;
    private final S3ObjectWriter writer;
    private final BackendExceptionMapper failures;

    S3BatchDeleter(S3Client client, S3ObjectWriter writer) {
        this.client = client;
        this.writer = writer;
        this.failures = new BackendExceptionMapper(client.endpoint());
    }

    Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        List<Deletion> together =
                deletions.stream().filter(S3BatchDeleter::canBatch).toList();
        boolean lone = together.size() == 1 && together.get(0).versionId().isEmpty();
        // MinIO's DeleteObject of a null delete marker makes another; its DeleteObjects takes it away.
        Mono<DeleteObjectsResult> answer = together.isEmpty() || lone
                ? Mono.just(new DeleteObjectsResult(Map.of()))
                : sendBatch(bucket, together, headers);
        return answer.flatMap(told -> Flux.fromIterable(deletions)
                .flatMapSequential(
                        deletion -> told.of(deletion)
                                .map(entry -> Mono.just(outcome(deletion, entry)))
                                .orElseGet(() -> deleteSingly(deletion, headers)),
                        CONCURRENCY)
                .collectList());
    }

    private static boolean canBatch(Deletion deletion) {
        return deletion.condition() instanceof WriteCondition.Unconditional
                && deletion.conditionHeaders().fields().isEmpty()
                && XmlWriter.canRepresent(deletion.object().key().value())
                && XmlWriter.canRepresent(deletion.versionId().orElse(""));
    }

    private Mono<DeleteObjectsResult> sendBatch(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        byte[] document = document(deletions);
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.POST, bucket)
                .withParameter("delete", "")
                .with(headers.with("content-type", "application/xml").with("content-md5", ContentMd5.encode(document)))
                .with(document);
        return client.exchange(request, RetryMode.ALWAYS)
                .map(reply -> DeleteObjectsResult.of(WriteResponseReader.acknowledgement(reply, "DeleteResult")))
                .onErrorMap(failure -> failures.map(ErrorContext.write("deletes", bucket), failure));
    }

    private static byte[] document(List<Deletion> deletions) {
        XmlWriter xml = new XmlWriter("Delete");
        for (Deletion deletion : deletions) {
            xml.open("Object").element("Key", deletion.object().key().value());
            deletion.versionId().ifPresent(id -> xml.element("VersionId", id));
            xml.close("Object");
        }
        return xml.bytes();
    }

    private DeleteOutcome outcome(Deletion deletion, DeleteObjectsResult.KeyResult entry) {
        ErrorContext asked = ErrorContext.write("DELETE", deletion.object());
        Optional<BackendException> failure =
                entry.error().map(error -> failures.map(asked, ErrorResponseException.ofBatchEntry(error)));
        return new DeleteOutcome(deletion, new DeleteResult(entry.headers()), failure);
    }

    private Mono<DeleteOutcome> deleteSingly(Deletion deletion, HeaderList headers) {
        return writer.delete(deletion, headers)
                .map(deleted -> new DeleteOutcome(deletion, deleted, Optional.empty()))
                .onErrorResume(
                        BackendException.class,
                        failure -> Mono.just(
                                new DeleteOutcome(deletion, new DeleteResult(HeaderList.EMPTY), Optional.of(failure))));
    }
}
