package io.millrace.backend.gcs;

import io.millrace.backend.gcs.ObjectListPage.NamedObject;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Keeps the records of multipart uploads, and deletes what belongs to them, in objects of the bucket that clients do
 * not see:
 *
 * <pre>
 * .millrace-uploads/u/ID                 the record
 * .millrace-uploads/p/ID/00001           a part
 * .millrace-uploads/p/ID/00001.GEN       a checksum of the part of generation GEN, known only after its bytes
 * .millrace-uploads/p/ID/c-…             some parts, composed
 * </pre>
 */
final class CompositeUploadStore {
    private static final String RECORDS = HiddenObjectPrefix.PREFIX + "u/";
    private static final String PARTS = HiddenObjectPrefix.PREFIX + "p/";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int ID_BYTES = 16;
    private static final int DELETES_AT_ONCE = 32;

    private final StorageJsonApi api;
    private final SecureRandom random = new SecureRandom();

    CompositeUploadStore(StorageJsonApi api) {
        this.api = api;
    }

    /** Deletes everything that belongs to the uploads of a bucket. */
    Mono<Void> deleteAll(BucketName bucket) {
        return deleteBelow(bucket, HiddenObjectPrefix.PREFIX);
    }

    /** Stores the record of a new upload. */
    Mono<UploadRecord> create(NewObject object) {
        return Mono.defer(() -> {
            String id = newId();
            ObjectRef record = ref(object.object().bucket(), RECORDS + id);
            return api.insert(
                            record,
                            UploadRecord.toFields(object.object().key(), object.headers()),
                            GenerationCondition.ABSENT,
                            UploadBody.of(0, Flux.empty()))
                    .map(stored -> UploadRecord.of(record.bucket(), id, stored)
                            .orElseThrow(() -> new BackendException(
                                    FailureKind.INVALID_RESPONSE, "the server keeps no custom metadata")));
        });
    }

    /** Finds the record of an upload; fails with {@link FailureKind#NO_SUCH_UPLOAD} if there is none for this key. */
    Mono<UploadRecord> find(MultipartUpload upload) {
        if (!ID.matcher(upload.uploadId()).matches()) {
            return Mono.error(() -> noSuchUpload(upload));
        }
        BucketName bucket = upload.object().bucket();
        return api.get(ref(bucket, RECORDS + upload.uploadId()))
                .onErrorMap(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NO_SUCH_KEY ? noSuchUpload(upload) : failure)
                .map(stored -> UploadRecord.of(bucket, upload.uploadId(), stored)
                        .filter(found -> found.object().equals(upload.object()))
                        .orElseThrow(() -> noSuchUpload(upload)));
    }

    /** Lists the uploads of a bucket by key, then by id. */
    Mono<List<ListedUpload>> list(BucketName bucket) {
        return api.listAll(ObjectListQuery.below(bucket, RECORDS))
                .concatMapIterable(object ->
                        UploadRecord.of(bucket, object.name().substring(RECORDS.length()), object.description())
                                .stream()
                                .toList())
                .map(UploadRecord::listed)
                .sort(Comparator.comparing((ListedUpload listed) ->
                                listed.upload().object().key())
                        .thenComparing(listed -> listed.upload().uploadId()))
                .collectList();
    }

    /** Lists the objects that belong to an upload, but for its record. */
    Flux<NamedObject> objects(UploadRecord upload) {
        return api.listAll(ObjectListQuery.below(upload.object().bucket(), folder(upload)));
    }

    /** Returns the name of an object that belongs to an upload. */
    ObjectRef ref(UploadRecord upload, String name) {
        return ref(upload.object().bucket(), folder(upload) + name);
    }

    String folder(UploadRecord upload) {
        return PARTS + upload.id() + "/";
    }

    /** Returns a new name for composed parts. */
    String newName() {
        return "c-" + newId();
    }

    /** Deletes the parts first: until the record is deleted, an abort can delete what is left after a failure. */
    Mono<Void> delete(UploadRecord upload) {
        BucketName bucket = upload.object().bucket();
        return deleteBelow(bucket, folder(upload))
                .then(deleteIfPresent(ref(bucket, RECORDS + upload.id()), Optional.empty()));
    }

    /** By generation, so that nothing stays as a noncurrent version in a bucket that keeps them. */
    private Mono<Void> deleteBelow(BucketName bucket, String prefix) {
        return api.listAll(ObjectListQuery.below(bucket, prefix))
                .flatMap(
                        object -> deleteIfPresent(
                                ref(bucket, object.name()),
                                Optional.of(object.description().generation())),
                        DELETES_AT_ONCE)
                .then();
    }

    private Mono<Void> deleteIfPresent(ObjectRef object, Optional<Long> generation) {
        return api.delete(object, generation, GenerationCondition.ANY)
                .onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NO_SUCH_KEY ? Mono.empty() : Mono.error(failure));
    }

    static BackendException noSuchUpload(MultipartUpload upload) {
        return new BackendException(
                FailureKind.NO_SUCH_UPLOAD, "no upload %s of %s".formatted(upload.uploadId(), upload.object()));
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static ObjectRef ref(BucketName bucket, String name) {
        return new ObjectRef(bucket, new ObjectKey(name));
    }
}
