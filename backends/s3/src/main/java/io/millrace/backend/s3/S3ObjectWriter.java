package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deleted;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Writes objects: PutObject, CopyObject and DeleteObject. */
final class S3ObjectWriter {
    private static final Set<String> OF_A_DELETE = Set.of("x-amz-delete-marker", "x-amz-version-id");

    private final S3Client client;
    private final ConditionalWrites conditions;
    private final Failures failures;

    S3ObjectWriter(S3Client client, ConditionalWrites conditions) {
        this.client = client;
        this.conditions = conditions;
        this.failures = new Failures(client.origin());
    }

    Mono<Written> put(NewObject object, UploadBody body) {
        Asked asked = Asked.write("PUT", object.object());
        WireRequest request = WireRequest.of(SdkHttpMethod.PUT, object.object())
                .with(WriteHeaders.of(object.headers(), object.condition()));
        return conditions
                .allow(ConditionalWrite.PUT, object.condition(), object.object().bucket())
                .onErrorMap(failure -> failures.of(asked, failure))
                .then(client.upload(request, body, failure -> failures.of(asked, failure)))
                .flatMap(reply -> failures.placing(asked, () -> WriteAnswer.of(reply)));
    }

    Mono<Written> copy(CopySource source, NewObject target) {
        Asked asked = Asked.write("copy to", target.object());
        WireRequest request = WireRequest.of(SdkHttpMethod.PUT, target.object())
                .with(WriteHeaders.of(target.headers(), source, target.condition()));
        return conditions
                .allow(
                        ConditionalWrite.COPY,
                        target.condition(),
                        target.object().bucket())
                .then(client.exchange(request, Manner.ONCE_AND_LONG))
                .map(reply -> WriteAnswer.of(reply, "CopyObjectResult"))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<Deleted> delete(Deletion deletion, HeaderList given) {
        HeaderList headers = joined(given, deletion.others());
        Asked asked = Asked.write("DELETE", deletion.object());
        WireRequest request = WireRequest.of(SdkHttpMethod.DELETE, deletion.object())
                .askingSome("versionId", deletion.versionId().orElse(""))
                .with(WriteHeaders.of(headers, deletion.condition()));
        boolean conditional = !(deletion.condition() instanceof WriteCondition.Always) || hasOthers(headers);
        // What a repeated delete would say of its condition is about what the first one left.
        return conditions
                .allowDelete(
                        deletion.condition(),
                        hasOthers(headers),
                        deletion.object().bucket())
                .then(client.exchange(request, conditional ? Manner.ONCE : Manner.REPEATABLE))
                .map(reply -> new Deleted(deleted(reply.fields())))
                .onErrorMap(failure -> failures.of(asked, failure))
                .onErrorResume(BackendException.class, failure -> conditional ? Mono.error(failure) : gone(failure));
    }

    private static HeaderList joined(HeaderList first, HeaderList second) {
        return new HeaderList(
                Stream.concat(first.fields().stream(), second.fields().stream()).toList());
    }

    /** Whether there are conditions that only deletes have. */
    private static boolean hasOthers(HeaderList headers) {
        return headers.fields().stream().anyMatch(field -> field.name().startsWith("x-amz-if-match-"));
    }

    private static HeaderList deleted(HeaderList told) {
        List<Field> fields = told.fields().stream()
                .filter(field -> OF_A_DELETE.contains(field.name()))
                .toList();
        return new HeaderList(fields);
    }

    /** There are servers that miss what S3 calls deleted. */
    private static Mono<Deleted> gone(BackendException failure) {
        boolean missing = failure.kind() == Kind.NO_SUCH_KEY || failure.kind() == Kind.NO_SUCH_VERSION;
        return missing ? Mono.just(new Deleted(HeaderList.EMPTY)) : Mono.error(failure);
    }
}
