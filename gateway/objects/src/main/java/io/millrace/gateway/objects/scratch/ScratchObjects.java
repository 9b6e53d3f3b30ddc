package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ScratchStore;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.kit.async.ImmediateMono;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The objects of one scratch bucket, and the parts of its uploads, in the cache.
 *
 * @param backendName the name under which the cache has them
 * @param bucket the only bucket
 * @param ttl how long after its write an object is there
 * @param residency returns the bytes that all of them have and may have
 */
record ScratchObjects(
        String backendName,
        BucketName bucket,
        Duration ttl,
        Supplier<GroupResidency> residency,
        ScratchStore store,
        CacheReader reader,
        InstantSource clock) {
    /** What clients are told of the backend that refuses something. */
    static final String TYPE = "scratch";

    /** @throws BackendException of kind NO_SUCH_BUCKET if it is of another bucket */
    ObjectId id(ObjectRef object) {
        requireBucket(object.bucket());
        return ObjectId.current(backendName, object);
    }

    /** @throws BackendException of kind NO_SUCH_BUCKET if it is another bucket */
    void requireBucket(BucketName name) {
        if (!name.equals(bucket)) {
            throw new BackendException(FailureKind.NO_SUCH_BUCKET, "the scratch bucket here is " + bucket);
        }
    }

    /** Returns all objects and parts. */
    ObjectPrefix all() {
        return new ObjectPrefix(backendName, bucket, "");
    }

    private long quota() {
        return residency.get().most().orElse(Long.MAX_VALUE);
    }

    /** Returns whether a quarter of the quota or less is free. */
    boolean isNearlyFull() {
        return residency.get().bytes() > quota() / 4 * 3;
    }

    /** Returns the object that a marker of a list names; empty for a text that no key can be. */
    Optional<ObjectRef> named(String marker) {
        try {
            return Optional.of(new ObjectRef(bucket, new ObjectKey(marker)));
        } catch (IllegalArgumentException noKey) {
            return Optional.empty();
        }
    }

    /** Returns an object that is there; empty if none is. Known at once if its metadata is in memory. */
    Mono<ObjectMetadata> find(ObjectId id) {
        Mono<ObjectMetadata> found = store.find(id);
        @Nullable ObjectMetadata known = ImmediateMono.valueOf(found);
        if (known != null) {
            return isInTime(known) ? found : Mono.empty();
        }
        return found.filter(this::isInTime);
    }

    /** Returns whether an object has not reached the end of its time. */
    boolean isInTime(ObjectMetadata object) {
        return clock.millis() - object.fetchedAt() < ttl.toMillis();
    }

    /** Removes those of some entries that have reached the end of their time, or some of them, in the background. */
    void removeOld(List<ObjectMetadata> entries) {
        store.removeSoon(entries.stream().filter(entry -> !isInTime(entry)).toList());
    }

    /** Returns a tag that no other content has. It does not look like an MD5, which clients would compare. */
    static ETag newTag(int parts) {
        return newTag("", parts);
    }

    /**
     * Returns a tag that no other content has.
     *
     * @param begin how it begins; at most 16 digits, so that others are left that nobody else has
     */
    static ETag newTag(String begin, int parts) {
        return ETag.strong(begin + newId().substring(begin.length()) + '-' + parts);
    }

    /** Returns 32 digits that nothing else has. */
    static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** Returns the metadata of what is written now. */
    ObjectHead head(ETag tag, long size, HeaderList headers) {
        Optional<ETag> own = Optional.of(tag);
        return new ObjectHead(
                ObjectVersion.ofETag(own, size, Optional.empty()),
                own,
                Optional.of(clock.instant().truncatedTo(ChronoUnit.SECONDS)),
                headers);
    }

    /**
     * Writes the bytes of an object, or of a part, which are not found before they are published. Those that never fit
     * are refused before any other object has left for them.
     */
    Mono<ObjectMetadata> write(ObjectId id, ObjectHead head, Flux<ByteBuf> body) {
        return Mono.deferContextual(context -> {
            long most = quota();
            return head.size() > most
                    ? Mono.error(InvalidRequestErrors.error(
                            "EntityTooLarge",
                            "Your proposed upload of %d bytes exceeds the quota of the bucket, which is %d bytes."
                                    .formatted(head.size(), most)))
                    : store.write(
                            id, head, clock.millis(), TierRequest.from(context).party(), body);
        });
    }

    /** Returns what was written with other headers, which were known only at the end of the body. */
    static ObjectMetadata withHeaders(ObjectMetadata written, HeaderList headers) {
        return new ObjectMetadata(
                written.id(),
                written.head().withHeaders(headers),
                written.fetchedAt(),
                written.complete(),
                written.mustRevalidate(),
                written.version(),
                written.blockSize());
    }

    /** Returns headers with the checksum that came behind the body. */
    static HeaderList withTrailer(HeaderList headers, UploadBody body) {
        return body.trailer()
                .map(trailer -> headers.with(WriteHeaderPolicy.storable(
                        TYPE,
                        HeaderList.EMPTY.with(trailer.name(), trailer.value().get()))))
                .orElse(headers);
    }

    /** Returns the check of a condition on what is there of an object, for the store. */
    Consumer<Optional<ObjectMetadata>> check(ObjectRef object, WriteCondition condition) {
        return there -> WriteCondition.require(
                condition,
                object,
                there.filter(this::isInTime).flatMap(found -> found.head().eTag()));
    }

    /** Fails if a condition does not hold now, so that no client sends a body in vain; the end of the write decides. */
    Mono<Void> checkEarly(ObjectId id, WriteCondition condition) {
        return condition.equals(WriteCondition.ALWAYS)
                ? Mono.empty()
                : find(id).map(Optional::of)
                        .defaultIfEmpty(Optional.empty())
                        .doOnNext(check(id.object(), condition))
                        .then();
    }

    /** Reads bytes of an object; all if the range is empty. */
    Flux<ByteBuf> read(ObjectMetadata object, Optional<ByteRange> range) {
        if (object.size() == 0) {
            return Flux.empty();
        }
        ByteRange wanted = range.orElseGet(() -> new ByteRange(0, object.size() - 1));
        return Flux.deferContextual(context -> reader.readBuffers(
                object,
                wanted,
                ScratchStore.source(object.head(), TierRequest.from(context).party()),
                Optional.empty()));
    }
}
