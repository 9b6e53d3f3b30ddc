package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.BlockCache;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.freshness.CacheStatus;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What an object is now, as far as the rules of its bucket want that known. */
public sealed interface CurrentObject {
    /** It is known, and its bytes come through the cache. */
    final class Cached implements CurrentObject {
        private final BlockCache cache;
        private final ObjectMetadata metadata;
        private final ObjectSource source;
        private final CacheStatus status;
        private final boolean forwarded;
        private final Optional<ObjectPart> part;

        /** @param asked whether the backend was asked for this read, or at the same time */
        Cached(BlockCache cache, ObjectMetadata head, ObjectSource source, CacheStatus status, boolean asked) {
            this(cache, head, source, status, asked, Optional.empty());
        }

        private Cached(
                BlockCache cache,
                ObjectMetadata head,
                ObjectSource source,
                CacheStatus status,
                boolean asked,
                Optional<ObjectPart> part) {
            this.cache = cache;
            this.metadata = head;
            this.source = source;
            this.status = status;
            this.forwarded = asked;
            this.part = part;
        }

        /** The same, of which one part was asked for. */
        Cached ofPart(ObjectPart found) {
            return new Cached(cache, metadata, source, status, forwarded, Optional.of(found));
        }

        /** The part that was asked for; none if no part was. */
        public Optional<ObjectPart> part() {
            return part;
        }

        public ObjectMetadata metadata() {
            return metadata;
        }

        /** Whether the backend was asked for this read, or for another at the same time. */
        public boolean isForwarded() {
            return forwarded;
        }

        /** How the head came. */
        public CacheStatus status() {
            return status;
        }

        /** How an answer with these bytes comes. */
        public CacheStatus status(ByteRange range) {
            if (status.forwarded() != CacheStatus.Forward.NONE) {
                return status;
            }
            return switch (cache.reader().availability(metadata, range)) {
                case AVAILABLE -> status;
                case IN_FLIGHT -> CacheStatus.miss(true);
                case ABSENT -> CacheStatus.miss(false);
            };
        }

        /** Where these bytes are. */
        BlockAvailability availability(ByteRange range) {
            return cache.reader().availability(metadata, range);
        }

        /** Whether these bytes are all on a disk; of a large object that comes on another thread. Empty if too many ask that. */
        public Mono<Boolean> isFullyResident(ByteRange range) {
            return cache.inventory().isFullyResident(metadata, range);
        }

        /** Bytes of this version, as {@link BlockCache#read} brings them. */
        public Flux<ReferenceCounted> read(ByteRange range) {
            return cache.reader().read(metadata, range, source);
        }
    }

    /** It is not known, and its backend must not be asked. */
    record NotCached() implements CurrentObject {}

    /**
     * It does not go through the cache.
     *
     * @param content what was opened already for this read, which is the caller's
     */
    record Bypass(Optional<ObjectContent> content) implements CurrentObject {}
}
