package io.millrace.gateway.freshness;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.cache.BlockCache;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.Presence;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What an object is now, as far as the rules of its bucket want that known. */
public sealed interface Current {
    /** It is known, and its bytes come through the cache. */
    final class Known implements Current {
        private final BlockCache cache;
        private final ObjectMetadata head;
        private final ObjectSource source;
        private final CacheStatus status;
        private final boolean asked;
        private final Optional<ObjectPart> part;

        /** @param asked whether the backend was asked for this read, or at the same time */
        Known(BlockCache cache, ObjectMetadata head, ObjectSource source, CacheStatus status, boolean asked) {
            this(cache, head, source, status, asked, Optional.empty());
        }

        private Known(
                BlockCache cache,
                ObjectMetadata head,
                ObjectSource source,
                CacheStatus status,
                boolean asked,
                Optional<ObjectPart> part) {
            this.cache = cache;
            this.head = head;
            this.source = source;
            this.status = status;
            this.asked = asked;
            this.part = part;
        }

        /** The same, of which one part was asked for. */
        Known ofPart(ObjectPart found) {
            return new Known(cache, head, source, status, asked, Optional.of(found));
        }

        /** The part that was asked for; none if no part was. */
        public Optional<ObjectPart> part() {
            return part;
        }

        public ObjectMetadata head() {
            return head;
        }

        /** Whether the backend was asked for this read, or for another at the same time. */
        public boolean isAsked() {
            return asked;
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
            return switch (cache.presence(head, range)) {
                case HERE -> status;
                case COMING -> CacheStatus.miss(true);
                case ABSENT -> CacheStatus.miss(false);
            };
        }

        /** Where these bytes are. */
        Presence presence(ByteRange range) {
            return cache.presence(head, range);
        }

        /** Whether these bytes are all on a disk; of a large object that comes on another thread. Empty if too many ask that. */
        public Mono<Boolean> holds(ByteRange range) {
            return cache.findAll(head, range);
        }

        /** Bytes of this version, as {@link BlockCache#read} brings them. */
        public Flux<ReferenceCounted> read(ByteRange range) {
            return cache.read(head, range, source);
        }
    }

    /** It is not known, and its backend must not be asked. */
    record NotCached() implements Current {}

    /**
     * It does not go through the cache.
     *
     * @param content what was opened already for this read, which is the caller's
     */
    record Pass(Optional<ObjectContent> content) implements Current {}
}
