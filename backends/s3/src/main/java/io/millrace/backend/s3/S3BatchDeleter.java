package io.millrace.backend.s3;

import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlText;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Deletes many keys with one DeleteObjects request. Uses DeleteObject for a single key without a version, for keys that
 * XML cannot represent, for conditional deletes, and for keys that are missing in the response.
 */
record S3BatchDeleter(S3Client client, S3ObjectWriter writer) {
    /** The most concurrent DeleteObject requests. */
    private static final int CONCURRENCY = 8;

    Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        List<Deletion> together =
                deletions.stream().filter(S3BatchDeleter::canBatch).toList();
        boolean lone = together.size() == 1 && together.get(0).versionId().isEmpty();
        // MinIO's DeleteObject of a null delete marker makes another; its DeleteObjects takes it away.
        Mono<DeleteObjectsResult> result = together.isEmpty() || lone
                ? Mono.just(new DeleteObjectsResult(Map.of()))
                : sendBatch(bucket, together, headers);
        return result.flatMap(deletedKey -> Flux.fromIterable(deletions)
                .flatMapSequential(
                        deletion -> deletedKey
                                .of(deletion)
                                .map(entry -> Mono.just(outcome(deletion, entry)))
                                .orElseGet(() -> deleteSingly(deletion, headers)),
                        CONCURRENCY)
                .collectList());
    }

    private static boolean canBatch(Deletion deletion) {
        return deletion.condition() instanceof WriteCondition.Unconditional
                && deletion.conditionHeaders().fields().isEmpty()
                && XmlText.isReadAsWritten(deletion.object().key().value())
                && XmlText.isReadAsWritten(deletion.versionId().orElse(""));
    }

    private Mono<DeleteObjectsResult> sendBatch(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.POST, bucket)
                .withParameter("delete", "")
                .with(headers.with("content-type", "application/xml"))
                .with(document(deletions))
                .withContentMd5();
        return client.exchange(request, ProcessingTime.SHORT)
                .map(reply -> DeleteObjectsResult.of(WriteResponseParser.acknowledgement(reply, "DeleteResult")))
                .onErrorMap(failure -> client.failures().map(ErrorResponseContext.write("deletes", bucket), failure));
    }

    private static ByteBuffer document(List<Deletion> deletions) {
        XmlWriter xml = XmlWriter.of("Delete");
        for (Deletion deletion : deletions) {
            xml.open("Object").element("Key", deletion.object().key().value());
            deletion.versionId().ifPresent(id -> xml.element("VersionId", id));
            xml.close();
        }
        return xml.bytes();
    }

    private DeleteOutcome outcome(Deletion deletion, DeleteObjectsResult.KeyResult entry) {
        ErrorResponseContext context = ErrorResponseContext.write("DELETE", deletion.object());
        Optional<BackendException> failure =
                entry.error().map(error -> client.failures().map(context, ErrorResponseException.ofBatchEntry(error)));
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
