package io.millrace.backend.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes objects. A write completes when the backend has acknowledged it, and only then. Every operation that a backend
 * does not override is refused; {@link Capability} tells beforehand.
 *
 * <p>Nothing happens before subscription; errors are {@link BackendException}s, fresh each time. A write whose
 * acknowledgement is lost fails with {@link BackendException.Kind#UNAVAILABLE}: whether it happened is open then, as it is
 * after a cancel. No write with a body is sent twice.
 */
public interface ObjectWriter {
    /**
     * What a write stores beside the bytes.
     *
     * @param headers the fields of the request that say how to store it, under S3's names: {@code content-type} and its like,
     *     {@code x-amz-meta-*}, {@code x-amz-checksum-*}, {@code content-md5}, {@code x-amz-storage-class}, ... A backend
     *     refuses with {@link BackendException.Kind#UNSUPPORTED} a field that it cannot honour; it drops none
     */
    record NewObject(ObjectRef object, HeaderList headers, WriteCondition condition) {}

    /**
     * What the backend acknowledged.
     *
     * @param headers what a client is told besides: {@code x-amz-version-id}, {@code x-amz-checksum-*}, ...
     * @param lastModified of a copy, whose answer tells it
     */
    record Written(Optional<ETag> eTag, HeaderList headers, Optional<Instant> lastModified) {}

    /**
     * What is copied.
     *
     * @param versionId which version; the current one if empty
     * @param conditions on the source, checked by the backend in the same step
     */
    record CopySource(ObjectRef object, Optional<String> versionId, Conditions conditions) {}

    /**
     * A key to be deleted, or one version of it.
     *
     * @param condition {@link WriteCondition.Always} unless the client asked for more
     * @param others what it asked for besides: {@code x-amz-if-match-size} and {@code x-amz-if-match-last-modified-time}, which
     *     few servers know; under the rule of {@link NewObject#headers}
     */
    record Deletion(ObjectRef object, Optional<String> versionId, WriteCondition condition, HeaderList others) {
        /** Without others. */
        public Deletion(ObjectRef object, Optional<String> versionId, WriteCondition condition) {
            this(object, versionId, condition, HeaderList.EMPTY);
        }

        /** Whatever is there now. */
        public static Deletion of(ObjectRef object) {
            return new Deletion(object, Optional.empty(), WriteCondition.ALWAYS);
        }
    }

    /** What a delete left: {@code x-amz-delete-marker} and {@code x-amz-version-id}, where there are versions. */
    record Deleted(HeaderList headers) {}

    /** How one of several deletes ended; without a failure it is done. */
    record DeleteOutcome(Deletion deletion, Deleted deleted, Optional<BackendException> failure) {}

    /** Stores the bytes of {@code body} as this object. */
    default Mono<Written> put(NewObject object, UploadBody body) {
        return Refusals.refuse("put");
    }

    /**
     * Copies inside the backend. {@code target.headers} says {@code x-amz-metadata-directive} and
     * {@code x-amz-tagging-directive} where they were given; without them the source's fields are kept.
     */
    default Mono<Written> copy(CopySource source, NewObject target) {
        return Refusals.refuse("copy");
    }

    /**
     * Deletes a key, or one version of it. Deleting what is not there succeeds, as in S3.
     *
     * @param headers such as {@code x-amz-bypass-governance-retention}, under the rule of {@link NewObject#headers}
     */
    default Mono<Deleted> delete(Deletion deletion, HeaderList headers) {
        return Refusals.refuse("delete");
    }

    /**
     * Deletes up to 1,000 keys of one bucket, each by itself; the outcomes in the order of the deletions. Fails only if none
     * was tried.
     */
    default Mono<List<DeleteOutcome>> deleteAll(BucketName bucket, List<Deletion> deletions, HeaderList headers) {
        return Flux.fromIterable(deletions)
                .concatMap(deletion -> delete(deletion, headers)
                        .map(deleted -> new DeleteOutcome(deletion, deleted, Optional.empty()))
                        .onErrorResume(
                                BackendException.class,
                                failure -> Mono.just(new DeleteOutcome(
                                        deletion, new Deleted(HeaderList.EMPTY), Optional.of(failure)))))
                .collectList();
    }
}
