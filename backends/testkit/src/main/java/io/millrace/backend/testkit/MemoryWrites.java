package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deleted;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.ResponseHeaders;
import io.millrace.backend.spi.UploadBody;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Writes of single objects to memory: the body is collected first, then the object is there at once. */
final class MemoryWrites {
    private final Buckets buckets;
    private final Supplier<Optional<String>> versions;

    /** The bucket of a name, or a failure. */
    @FunctionalInterface
    interface Buckets {
        MemoryBucket find(BucketName name);
    }

    /**
     * @param buckets the buckets there are
     * @param versions the next version's id, if there are versions
     */
    MemoryWrites(Buckets buckets, Supplier<Optional<String>> versions) {
        this.buckets = buckets;
        this.versions = versions;
    }

    Mono<Written> put(NewObject object, UploadBody body) {
        return Mono.defer(() -> {
            buckets.find(object.object().bucket());
            HeaderList kept = MemoryFields.kept(object.headers());
            return collect(body).map(bytes -> {
                HeaderList headers = withTrailer(kept, body);
                StoredObject stored = StoredObject.of(bytes, headers, Instant.now(), versions.get());
                return store(object, stored, Optional.empty());
            });
        });
    }

    Mono<Written> copy(CopySource source, NewObject target) {
        return Mono.fromCallable(() -> {
            StoredObject from = source(source);
            boolean replace =
                    target.headers().first("x-amz-metadata-directive").stream().anyMatch("REPLACE"::equals);
            if (!replace && source.object().equals(target.object())) {
                throw refused("InvalidRequest", "nothing would change");
            }
            HeaderList given = MemoryFields.kept(target.headers());
            HeaderList headers = replace ? given : described(from.head());
            StoredObject stored = StoredObject.of(from.bytes(), headers, Instant.now(), versions.get());
            return store(target, stored, stored.head().lastModified());
        });
    }

    Mono<Deleted> delete(Deletion deletion, HeaderList headers) {
        return Mono.fromCallable(() -> {
            MemoryFields.kept(deletion.others());
            MemoryFields.kept(headers);
            ObjectRef object = deletion.object();
            MemoryBucket bucket = buckets.find(object.bucket());
            Optional<String> version = versions.get();
            String versionId = deletion.versionId().orElse("null");
            if (version.isEmpty() && !versionId.equals("null")) {
                throw new BackendException(Kind.UNSUPPORTED, "no versions are kept here");
            }
            if (deletion.versionId().isPresent() && version.isPresent()) {
                bucket.removeVersion(object.key(), versionId, deletion.condition());
                return new Deleted(HeaderList.EMPTY.with("x-amz-version-id", versionId));
            }
            bucket.remove(object.key(), deletion.condition());
            return new Deleted(version.map(id ->
                            HeaderList.EMPTY.with("x-amz-delete-marker", "true").with("x-amz-version-id", id))
                    .orElse(HeaderList.EMPTY));
        });
    }

    /** The object that is copied, if its conditions hold. */
    StoredObject source(CopySource source) {
        StoredObject from =
                buckets.find(source.object().bucket()).find(source.object().key(), source.versionId());
        ObjectHead head = from.head();
        if (source.conditions().check(head.eTag(), head.lastModified()) != Conditions.Outcome.PROCEED) {
            throw new BackendException(Kind.PRECONDITION_FAILED, "a condition on the source does not hold");
        }
        return from;
    }

    Written store(NewObject object, StoredObject stored, Optional<Instant> lastModified) {
        buckets.find(object.object().bucket()).store(object.object().key(), object.condition(), stored);
        HeaderList told = MemoryFields.checksums(stored.head().headers());
        HeaderList headers = stored.head()
                .version()
                .versionId()
                .map(id -> told.with("x-amz-version-id", id))
                .orElse(told);
        return new Written(stored.head().eTag(), headers, lastModified);
    }

    /** All bytes of a body, if they are as many as it announces. */
    static Mono<byte[]> collect(UploadBody body) {
        return body.pieces()
                .collect(ByteArrayOutputStream::new, (bytes, piece) -> bytes.writeBytes(ContractCases.takeBytes(piece)))
                .map(ByteArrayOutputStream::toByteArray)
                .doOnNext(bytes -> {
                    if (bytes.length != body.length()) {
                        throw new BackendException(
                                Kind.UNEXPECTED, "%d bytes instead of %d".formatted(bytes.length, body.length()));
                    }
                });
    }

    static HeaderList withTrailer(HeaderList headers, UploadBody body) {
        return body.trailer()
                .map(trailer -> headers.with(trailer.name(), trailer.value().get()))
                .orElse(headers);
    }

    /** An S3 error. */
    static BackendException refused(String code, String message) {
        return new BackendException(Kind.INVALID_REQUEST, message).inWords(new Words(400, code, message));
    }

    /** What a copy keeps of its source. */
    private static HeaderList described(ObjectHead head) {
        return new HeaderList(head.headers().fields().stream()
                .filter(field -> ResponseHeaders.describeObject(field.name()))
                .filter(field -> !field.name().equals("x-amz-version-id")
                        && !field.name().equals("x-amz-mp-parts-count")
                        && !field.value().contains("COMPOSITE"))
                .toList());
    }
}
