package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectHeaderNames;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Writes single objects to memory: collects the body first, then stores the object in one step. */
final class MemoryWriter {
    private final BucketLookup buckets;
    private final Supplier<Optional<String>> versions;

    /** Finds the bucket of a name, or fails. */
    @FunctionalInterface
    interface BucketLookup {
        MemoryBucket find(BucketName name);
    }

    /**
     * @param buckets the buckets there are
     * @param versions the next version's id, if there are versions
     */
    MemoryWriter(BucketLookup buckets, Supplier<Optional<String>> versions) {
        this.buckets = buckets;
        this.versions = versions;
    }

    Mono<WriteResult> put(NewObject object, UploadBody body) {
        return Mono.defer(() -> {
            buckets.find(object.object().bucket());
            HeaderList kept = WriteHeaderPolicy.storable(InMemoryBackend.TYPE, object.headers());
            return collect(body).map(bytes -> {
                HeaderList headers = withTrailer(kept, body);
                MemoryObject stored = MemoryObject.of(bytes, headers, Instant.now(), versions.get());
                return store(object, stored, Optional.empty());
            });
        });
    }

    Mono<WriteResult> copy(CopySource source, NewObject target) {
        return Mono.fromCallable(() -> {
            MemoryObject from = source(source);
            boolean replace =
                    target.headers().first("x-amz-metadata-directive").stream().anyMatch("REPLACE"::equals);
            if (!replace && source.object().equals(target.object())) {
                throw s3Error("InvalidRequest", "nothing would change");
            }
            HeaderList given = WriteHeaderPolicy.storable(InMemoryBackend.TYPE, target.headers());
            HeaderList headers = replace ? given : described(from.head());
            MemoryObject stored = MemoryObject.of(from.bytes(), headers, Instant.now(), versions.get());
            return store(target, stored, stored.head().lastModified());
        });
    }

    Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return Mono.fromCallable(() -> {
            WriteHeaderPolicy.storable(InMemoryBackend.TYPE, deletion.conditionHeaders());
            WriteHeaderPolicy.storable(InMemoryBackend.TYPE, headers);
            ObjectRef object = deletion.object();
            MemoryBucket bucket = buckets.find(object.bucket());
            Optional<String> version = versions.get();
            String versionId = deletion.versionId().orElse("null");
            if (version.isEmpty() && !versionId.equals("null")) {
                throw new BackendException(FailureKind.UNSUPPORTED, "no versions are kept here");
            }
            if (deletion.versionId().isPresent() && version.isPresent()) {
                bucket.removeVersion(object.key(), versionId, deletion.condition());
                return new DeleteResult(HeaderList.EMPTY.with("x-amz-version-id", versionId));
            }
            bucket.remove(object.key(), deletion.condition());
            return new DeleteResult(version.map(id ->
                            HeaderList.EMPTY.with("x-amz-delete-marker", "true").with("x-amz-version-id", id))
                    .orElse(HeaderList.EMPTY));
        });
    }

    /** The object that is copied, if its conditions hold. */
    MemoryObject source(CopySource source) {
        MemoryObject from =
                buckets.find(source.object().bucket()).find(source.object().key(), source.versionId());
        ObjectHead head = from.head();
        if (source.conditions().evaluate(head.eTag(), head.lastModified()) != ReadConditions.ConditionOutcome.PROCEED) {
            throw new BackendException(FailureKind.PRECONDITION_FAILED, "a condition on the source does not hold");
        }
        return from;
    }

    WriteResult store(NewObject object, MemoryObject stored, Optional<Instant> lastModified) {
        buckets.find(object.object().bucket()).store(object.object().key(), object.condition(), stored);
        HeaderList reported = WriteHeaderPolicy.checksums(stored.head().headers());
        HeaderList headers = stored.head()
                .version()
                .versionId()
                .map(id -> reported.with("x-amz-version-id", id))
                .orElse(reported);
        return new WriteResult(stored.head().eTag(), headers, lastModified);
    }

    /** All bytes of a body, if they are as many as it announces. */
    static Mono<byte[]> collect(UploadBody body) {
        return body.pieces()
                .collect(ByteArrayOutputStream::new, (bytes, piece) -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .map(ByteArrayOutputStream::toByteArray)
                .doOnNext(bytes -> {
                    if (bytes.length != body.length()) {
                        throw new BackendException(
                                FailureKind.UNEXPECTED,
                                "%d bytes instead of %d".formatted(bytes.length, body.length()));
                    }
                });
    }

    static HeaderList withTrailer(HeaderList headers, UploadBody body) {
        return body.trailer()
                .map(trailer -> headers.with(trailer.name(), trailer.value().get()))
                .orElse(headers);
    }

    /** An S3 error. */
    static BackendException s3Error(String code, String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message).withS3Error(new S3Error(400, code, message));
    }

    /** Returns the headers that a copy keeps of its source. */
    private static HeaderList described(ObjectHead head) {
        return new HeaderList(head.headers().fields().stream()
                .filter(field -> ObjectHeaderNames.contains(field.name()))
                .filter(field -> !field.name().equals("x-amz-version-id")
                        && !field.name().equals("x-amz-mp-parts-count")
                        && !field.value().contains("COMPOSITE"))
                .toList());
    }
}
