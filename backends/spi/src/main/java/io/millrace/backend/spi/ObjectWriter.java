package io.millrace.backend.spi;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes objects. A write completes when the backend has acknowledged it, and only then. Every operation that a backend
 * does not override is refused; {@link Capability} tells beforehand.
 *
 * <p>Bodies are subscribed to once; the implementation owns and releases each piece, cancels the body when it fails, and
 * fails the write if the body does. Cancelling a write leaves open whether it happened.
 */
public interface ObjectWriter {
    /** What a write stores beside the bytes. */
    record NewObject(ObjectRef object, HeaderList headers, WriteCondition condition) {}

    /** Under which condition a write may take place, checked by the backend in the same step. */
    sealed interface WriteCondition {
        /** Always. */
        record Always() implements WriteCondition {}

        /** Only if the key has no content ({@code If-None-Match: *}). */
        record Absent() implements WriteCondition {}

        /** Only over this content ({@code If-Match}). */
        record Matches(ETag tag) implements WriteCondition {}
    }

    /** What the backend acknowledged. */
    record Written(ObjectVersion version, Optional<ETag> eTag, HeaderList headers) {}

    /** A multipart upload that was begun. */
    record Upload(ObjectRef object, String uploadId) {}

    /** A part that was stored. */
    record Part(int number, ETag eTag, HeaderList headers) {}

    /** What is copied from where; {@code replace} holds new headers, empty keeps the source's. */
    record CopySource(
            ObjectRef object, Optional<String> versionId, Conditions conditions, Optional<HeaderList> replace) {}

    /** What a delete left: {@code x-amz-delete-marker} and {@code x-amz-version-id}, where there are versions. */
    record Deleted(HeaderList headers) {}

    /** Stores exactly {@code length} bytes. */
    default Mono<Written> put(NewObject object, long length, Flux<ByteBuf> body) {
        return refuse("put");
    }

    /** Begins a multipart upload. */
    default Mono<Upload> createUpload(NewObject object) {
        return refuse("createUpload");
    }

    /** Stores one part of exactly {@code length} bytes. */
    default Mono<Part> putPart(Upload upload, int number, long length, Flux<ByteBuf> body) {
        return refuse("putPart");
    }

    /** Makes the parts, in this order, the object. */
    default Mono<Written> completeUpload(Upload upload, List<Part> parts, WriteCondition condition) {
        return refuse("completeUpload");
    }

    /** Gives an upload up. */
    default Mono<Void> abortUpload(Upload upload) {
        return refuse("abortUpload");
    }

    /** Copies inside the backend. */
    default Mono<Written> copy(CopySource source, NewObject target) {
        return refuse("copy");
    }

    /** Deletes a key, or one version of it. Deleting what is not there succeeds, as in S3. */
    default Mono<Deleted> delete(ObjectRef object, Optional<String> versionId) {
        return refuse("delete");
    }

    private static <T> Mono<T> refuse(String operation) {
        return Mono.error(
                () -> new BackendException(BackendException.Kind.UNSUPPORTED, "this backend has no " + operation));
    }
}
