package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The operations of a backend that put, copy and delete objects. A write completes when, and only when, the backend has
 * acknowledged it. An operation that a backend does not override fails with
 * {@link BackendException.FailureKind#UNSUPPORTED}; see {@link Capability}.
 *
 * <p>Nothing happens before subscription; errors are {@link BackendException}s, fresh each time. A write whose
 * acknowledgement is lost fails with {@link BackendException.FailureKind#UNAVAILABLE}: then, as after a cancel, its
 * outcome is unknown. No write with a body is sent twice.
 */
public interface ObjectWriter {
    /**
     * The object to write, without its bytes.
     *
     * @param headers the request headers that say how to store it, with S3's names: {@code content-type} and the like,
     *     {@code x-amz-meta-*}, {@code x-amz-checksum-*}, {@code content-md5}, {@code x-amz-storage-class}, ... A
     *     backend refuses a header that it cannot honour with {@link BackendException.FailureKind#UNSUPPORTED}; it
     *     ignores none
     */
    record NewObject(ObjectRef object, HeaderList headers, WriteCondition condition) {}

    /**
     * The result of an acknowledged write.
     *
     * @param headers other response headers for the client: {@code x-amz-version-id}, {@code x-amz-checksum-*}, ...
     * @param lastModified only of a copy
     */
    record WriteResult(Optional<ETag> eTag, HeaderList headers, Optional<Instant> lastModified) {}

    /**
     * The source of a copy.
     *
     * @param versionId the version to copy; the current one if empty
     * @param conditions on the source, evaluated by the backend atomically with the copy
     */
    record CopySource(ObjectRef object, Optional<String> versionId, ReadConditions conditions) {}

    /**
     * A key, or one version of it, to delete.
     *
     * @param condition {@link WriteCondition.Unconditional} if the client sent none
     * @param conditionHeaders further condition headers: {@code x-amz-if-match-size} and {@code
     *     x-amz-if-match-last-modified-time}, which few servers support; under the rule of {@link NewObject#headers}
     */
    record Deletion(
            ObjectRef object, Optional<String> versionId, WriteCondition condition, HeaderList conditionHeaders) {
        /** A deletion without further condition headers. */
        public Deletion(ObjectRef object, Optional<String> versionId, WriteCondition condition) {
            this(object, versionId, condition, HeaderList.EMPTY);
        }

        /** Returns an unconditional deletion of the current version. */
        public static Deletion of(ObjectRef object) {
            return new Deletion(object, Optional.empty(), WriteCondition.ALWAYS);
        }
    }

    /** The result of a delete: {@code x-amz-delete-marker} and {@code x-amz-version-id}, if the bucket has versions. */
    record DeleteResult(HeaderList headers) {}

    /** The outcome of one of several deletes; it succeeded if there is no failure. */
    record DeleteOutcome(Deletion deletion, DeleteResult result, Optional<BackendException> failure) {}

    /** Writes {@code body} as this object. */
    default Mono<WriteResult> put(NewObject object, UploadBody body) {
        return UnsupportedOperationErrors.error("put");
    }

    /**
     * Copies an object within the backend. {@code target.headers} contains {@code x-amz-metadata-directive} and
     * {@code x-amz-tagging-directive} if the client sent them; without them the copy has the source's metadata and
     * tags.
     */
    default Mono<WriteResult> copy(CopySource source, NewObject target) {
        return UnsupportedOperationErrors.error("copy");
    }

    /**
     * Deletes a key, or one version of it. Deleting a missing key succeeds, as in S3.
     *
     * @param headers such as {@code x-amz-bypass-governance-retention}, under the rule of {@link NewObject#headers}
     */
    default Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return UnsupportedOperationErrors.error("delete");
    }

    /**
     * Deletes up to 1,000 keys of one bucket independently; the outcomes are in the order of the deletions. Fails only
     * if no deletion was attempted.
     */
    default Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return deleteEach(this, deletions, headers, 1);
    }

    /** Deletes each key by a {@link #delete} of its own, {@code concurrency} of them at a time. */
    static Mono<List<DeleteOutcome>> deleteEach(
            ObjectWriter writer, List<Deletion> deletions, HeaderList headers, int concurrency) {
        return Flux.fromIterable(deletions)
                .flatMapSequential(
                        deletion -> writer.delete(deletion, headers)
                                .map(deleted -> new DeleteOutcome(deletion, deleted, Optional.empty()))
                                .onErrorResume(
                                        BackendException.class,
                                        failure -> Mono.just(new DeleteOutcome(
                                                deletion, new DeleteResult(HeaderList.EMPTY), Optional.of(failure)))),
                        concurrency)
                .collectList();
    }
}
