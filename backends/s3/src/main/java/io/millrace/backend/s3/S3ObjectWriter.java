package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Writes objects: PutObject, CopyObject and DeleteObject. */
record S3ObjectWriter(S3Client client, ConditionalWritePolicy conditions) implements ObjectWriter {
    private static final Set<String> OF_A_DELETE = Set.of("x-amz-delete-marker", "x-amz-version-id");

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        ErrorResponseContext context = ErrorResponseContext.write("PUT", object.object());
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.PUT, object.object())
                .with(WriteHeaderBuilder.of(object.headers(), object.condition()));
        return conditions
                .requireHonoured(
                        ConditionalOperation.PUT,
                        object.condition(),
                        object.object().bucket())
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then(client.upload(request, body, failure -> client.failures().map(context, failure)))
                .flatMap(reply -> client.failures().read(context, () -> WriteResponseParser.read(reply)));
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        ErrorResponseContext context = ErrorResponseContext.write("copy to", target.object());
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.PUT, target.object())
                .with(WriteHeaderBuilder.of(target.headers(), source, target.condition()));
        return conditions
                .requireHonoured(
                        ConditionalOperation.COPY,
                        target.condition(),
                        target.object().bucket())
                .then(client.exchange(request, ProcessingTime.LONG))
                .map(reply -> WriteResponseParser.read(reply, "CopyObjectResult"))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList given) {
        HeaderList headers = given.with(deletion.conditionHeaders());
        ErrorResponseContext context = ErrorResponseContext.write("DELETE", deletion.object());
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.DELETE, deletion.object())
                .withNonEmptyParameter("versionId", deletion.versionId().orElse(""))
                .with(WriteHeaderBuilder.of(headers, deletion.condition()));
        boolean conditional = !(deletion.condition() instanceof WriteCondition.Unconditional) || hasOthers(headers);
        return conditions
                .requireHonouredDelete(
                        deletion.condition(),
                        hasOthers(headers),
                        deletion.object().bucket())
                .then(client.exchange(request, ProcessingTime.SHORT))
                .map(AcknowledgementCheck::requireEmpty)
                .map(reply -> new DeleteResult(deleted(reply.fields())))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .onErrorResume(
                        BackendException.class,
                        failure -> conditional ? Mono.error(failure) : successIfMissing(failure));
    }

    /** Returns whether there are conditions that only deletes have. */
    private static boolean hasOthers(HeaderList headers) {
        return headers.fields().stream().anyMatch(field -> field.name().startsWith("x-amz-if-match-"));
    }

    private static HeaderList deleted(HeaderList reported) {
        List<HeaderField> fields = reported.fields().stream()
                .filter(field -> OF_A_DELETE.contains(field.name()))
                .toList();
        return new HeaderList(fields);
    }

    /** Some servers fail for a missing key where S3 succeeds. */
    private static Mono<DeleteResult> successIfMissing(BackendException failure) {
        boolean missing = failure.kind() == FailureKind.NO_SUCH_KEY || failure.kind() == FailureKind.NO_SUCH_VERSION;
        return missing ? Mono.just(new DeleteResult(HeaderList.EMPTY)) : Mono.error(failure);
    }
}
