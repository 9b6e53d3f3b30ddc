package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Writes and deletes objects. */
final class GcsObjectWriter implements ObjectWriter {
    /** Deletes of one request that run at once: enough to hide the way to the server, few enough for one client. */
    private static final int DELETES_AT_ONCE = 32;

    private final StorageJsonApi api;
    private final VerifyingObjectUploader upload;
    private final GenerationConditionResolver conditions;

    GcsObjectWriter(StorageJsonApi api) {
        this.api = api;
        this.upload = new VerifyingObjectUploader(api);
        this.conditions = new GenerationConditionResolver(api);
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return Mono.defer(() -> {
            HiddenObjectPrefix.requireWritable(object.object());
            NewObjectMetadata fields = NewObjectMetadata.of(object.headers());
            return conditions
                    .under(
                            object.object(),
                            object.condition(),
                            resolved -> upload.put(object.object(), fields, resolved, body))
                    .map(stored -> result(stored, Optional.empty()));
        });
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return Mono.defer(() -> {
                    check(deletion, headers);
                    if (HiddenObjectPrefix.contains(deletion.object().key().value())) {
                        return Mono.empty();
                    }
                    return conditions.under(
                            deletion.object(),
                            deletion.condition(),
                            resolved -> api.delete(deletion.object(), Optional.empty(), resolved));
                })
                .onErrorResume(BackendException.class, GcsObjectWriter::successIfMissing)
                .thenReturn(new DeleteResult(HeaderList.EMPTY));
    }

    @Override
    public Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return ObjectWriter.deleteEach(this, deletions, headers, DELETES_AT_ONCE);
    }

    private static void check(Deletion deletion, HeaderList headers) {
        if (deletion.versionId().filter(id -> !id.equals("null")).isPresent()) {
            throw new BackendException(
                    FailureKind.UNSUPPORTED, "versions of Google Cloud Storage are not deleted by their ids");
        }
        if (!deletion.conditionHeaders().fields().isEmpty()) {
            throw UnsupportedHeaderErrors.error(
                    deletion.conditionHeaders().fields().get(0).name(), "gcs");
        }
        NewObjectMetadata.of(headers);
    }

    /** S3 succeeds for a missing key, also under a condition. */
    private static Mono<Void> successIfMissing(BackendException failure) {
        return failure.kind() == FailureKind.NO_SUCH_KEY ? Mono.empty() : Mono.error(failure);
    }

    /** Returns the result for a stored object. */
    static WriteResult result(ObjectDescription stored, Optional<Instant> lastModified) {
        return new WriteResult(Optional.of(stored.eTag()), stored.checksums(), lastModified);
    }
}
