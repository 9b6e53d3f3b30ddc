package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.BackendObjectSource;
import io.millrace.gateway.objects.read.CurrentObject;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One version of an object that others are derived from, such as an archive, and access to its bytes.
 *
 * @param cached the object in the cache; empty if its bytes come from the backend
 * @param bytes reads bytes of this version for the request in the subscriber's context; the subscriber owns each buffer
 */
record SourceObject(
        ObjectId id, ObjectHead head, Optional<CurrentObject.Cached> cached, Function<ByteRange, Flux<ByteBuf>> bytes) {
    /** An object that is read through the cache. */
    static SourceObject of(CurrentObject.Cached cached) {
        return new SourceObject(cached.metadata().id(), cached.head(), Optional.of(cached), cached::readBuffers);
    }

    /** Asks the backend for an object that bypasses the cache. */
    static Mono<SourceObject> atBackend(BucketView source, ObjectId id) {
        return Mono.deferContextual(context -> {
            BackendObjectSource backend = new BackendObjectSource(source, id, TierRequest.from(context));
            return backend.head().map(found -> atBackend(backend, found));
        });
    }

    private static SourceObject atBackend(BackendObjectSource backend, HeadResult found) {
        ObjectHead head = found.head();
        if (!head.version().hasStrongValidator()) {
            throw ArchiveFailures.withoutVersion();
        }
        return new SourceObject(backend.id(), head, Optional.empty(), range -> backend.passOn(head.version(), range));
    }

    /** Returns the object's key at its backend. */
    String key() {
        return id.object().key().value();
    }

    /** Returns bytes that are in memory; null if they must be read. The caller owns the buffer. */
    @Nullable ByteBuf inMemory(ByteRange range) {
        return cached.isPresent() ? cached.get().readFromMemory(range) : null;
    }

    /** Returns whether bytes can be read without a request to the backend. */
    boolean isHere(ByteRange range) {
        return cached.isPresent() && cached.get().isAvailable(range);
    }

    /** Returns whether all bytes are on disks. */
    Mono<Boolean> isResident() {
        return cached.isEmpty() || head.size() == 0
                ? Mono.just(false)
                : cached.get()
                        .isFullyResident(new ByteRange(0, head.size() - 1))
                        .defaultIfEmpty(false);
    }
}
