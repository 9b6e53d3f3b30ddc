package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deleted;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Deletes many keys in one request: DeleteObjects. By themselves go one that names no version, those that its XML cannot name, those under a condition,
 * and those that its answer says nothing of.
 */
final class S3Deletes {
    /** Of those that go by themselves, at once. */
    private static final int AT_ONCE = 8;

    private final S3Client client;
    private final S3ObjectWriter writer;
    private final Failures failures;

    S3Deletes(S3Client client, S3ObjectWriter writer) {
        this.client = client;
        this.writer = writer;
        this.failures = new Failures(client.origin());
    }

    Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        List<Deletion> together =
                deletions.stream().filter(S3Deletes::canGoTogether).toList();
        boolean lone = together.size() == 1 && together.get(0).versionId().isEmpty();
        // MinIO's DeleteObject of a null delete marker makes another; its DeleteObjects takes it away.
        Mono<DeletesAnswer> answer =
                together.isEmpty() || lone ? Mono.just(new DeletesAnswer(Map.of())) : ask(bucket, together, headers);
        return answer.flatMap(told -> Flux.fromIterable(deletions)
                .flatMapSequential(
                        deletion -> told.of(deletion)
                                .map(entry -> Mono.just(outcome(deletion, entry)))
                                .orElseGet(() -> alone(deletion, headers)),
                        AT_ONCE)
                .collectList());
    }

    private static boolean canGoTogether(Deletion deletion) {
        return deletion.condition() instanceof WriteCondition.Always
                && deletion.others().fields().isEmpty()
                && XmlText.canSay(deletion.object().key().value())
                && XmlText.canSay(deletion.versionId().orElse(""));
    }

    private Mono<DeletesAnswer> ask(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        byte[] document = document(deletions);
        WireRequest request = WireRequest.of(SdkHttpMethod.POST, bucket)
                .asking("delete", "")
                .with(headers.with("content-type", "application/xml").with("content-md5", Md5.of(document)))
                .with(document);
        return client.exchange(request, Manner.REPEATABLE)
                .map(reply -> DeletesAnswer.of(WriteAnswer.acknowledgement(reply, "DeleteResult")))
                .onErrorMap(failure -> failures.of(Asked.write("deletes", bucket), failure));
    }

    private static byte[] document(List<Deletion> deletions) {
        XmlText xml = new XmlText("Delete");
        for (Deletion deletion : deletions) {
            xml.open("Object").element("Key", deletion.object().key().value());
            deletion.versionId().ifPresent(id -> xml.element("VersionId", id));
            xml.close("Object");
        }
        return xml.bytes();
    }

    private DeleteOutcome outcome(Deletion deletion, DeletesAnswer.Entry entry) {
        Asked asked = Asked.write("DELETE", deletion.object());
        Optional<BackendException> failure =
                entry.error().map(error -> failures.of(asked, RefusedException.among(error)));
        return new DeleteOutcome(deletion, new Deleted(entry.headers()), failure);
    }

    private Mono<DeleteOutcome> alone(Deletion deletion, HeaderList headers) {
        return writer.delete(deletion, headers)
                .map(deleted -> new DeleteOutcome(deletion, deleted, Optional.empty()))
                .onErrorResume(
                        BackendException.class,
                        failure -> Mono.just(
                                new DeleteOutcome(deletion, new Deleted(HeaderList.EMPTY), Optional.of(failure))));
    }
}
