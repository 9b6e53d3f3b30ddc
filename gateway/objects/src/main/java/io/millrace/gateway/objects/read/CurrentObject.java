package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The current state of an object for a read, as recent as its bucket's freshness settings require. */
public sealed interface CurrentObject {
    /** An object with metadata, whose bytes are read through the cache. */
    final class Cached implements CurrentObject {
        private final CacheReader reader;
        private final ObjectMetadata metadata;
        private final Function<ContextView, ObjectSource> source;
        private final CacheStatus status;
        private final boolean forwarded;
        private final Optional<OpeningFill> opening;
        private final Optional<ObjectPart> part;
        private final @Nullable ObjectSlice slice;

        /**
         * @param source returns the source of what is not cached, by the context of the reader
         * @param wasForwarded whether the backend was asked for this read, or for a concurrent one
         * @param opening the fill that this read began by opening the object
         */
        Cached(
                CacheReader reader,
                ObjectMetadata metadata,
                Function<ContextView, ObjectSource> source,
                CacheStatus status,
                boolean wasForwarded,
                Optional<OpeningFill> opening) {
            this(reader, metadata, source, status, wasForwarded, opening, Optional.empty(), null);
        }

        /**
         * Returns an object that was found past the cache's own rules, for a read that asked no backend.
         *
         * @param source of what is not cached
         * @param found the requested part of it; empty if the request was not for a part
         */
        public static Cached of(
                CacheReader reader,
                ObjectMetadata metadata,
                ObjectSource source,
                CacheStatus status,
                Optional<ObjectPart> found) {
            return new Cached(reader, metadata, context -> source, status, false, Optional.empty(), found, null);
        }

        private Cached(
                CacheReader reader,
                ObjectMetadata metadata,
                Function<ContextView, ObjectSource> source,
                CacheStatus status,
                boolean wasForwarded,
                Optional<OpeningFill> opening,
                Optional<ObjectPart> part,
                @Nullable ObjectSlice slice) {
            this.reader = reader;
            this.metadata = metadata;
            this.source = source;
            this.status = status;
            this.forwarded = wasForwarded;
            this.opening = opening;
            this.part = part;
            this.slice = slice;
        }

        /** Returns a copy for a request for one part. */
        public Cached ofPart(ObjectPart found) {
            return new Cached(reader, metadata, source, status, forwarded, opening, Optional.of(found), slice);
        }

        /**
         * Returns an object that is a slice of this one: ranges are counted from its own first byte.
         *
         * @param found the requested part of the slice; empty if the request was not for a part
         */
        public Cached ofSlice(ObjectSlice member, Optional<ObjectPart> found) {
            return new Cached(reader, metadata, source, status, forwarded, opening, found, member);
        }

        /** Returns a copy for a read that other bytes of the object had to be fetched for: it is no hit. */
        public Cached afterFetch() {
            CacheStatus found = status.result() == CacheResult.HIT ? CacheStatus.miss(false) : status;
            return new Cached(reader, metadata, source, found, forwarded, opening, part, slice);
        }

        /**
         * Returns an object that is made of this one's bytes, and has blocks of its own. Its metadata are as fresh as
         * this one's.
         *
         * @param id under which its blocks are cached
         * @param own its metadata, whose version no other content under that id has
         * @param made returns the source of what is not cached, by the context of the reader
         * @param found the requested part of it; empty if the request was not for a part
         */
        public Cached ofMade(
                ObjectId id, ObjectHead own, Function<ContextView, ObjectSource> made, Optional<ObjectPart> found) {
            ObjectMetadata described = reader.describe(id, own, metadata.fetchedAt());
            return new Cached(reader, described, made, status, forwarded, Optional.empty(), found, null);
        }

        /** Returns whether this read's own request opened the object and brings its bytes. */
        boolean isOpening() {
            return opening.isPresent();
        }

        /** Returns the fill that this read's own request began by opening the object, if any. */
        Optional<OpeningFill> opening() {
            return opening;
        }

        /** Returns the requested part; empty if the request was not for a part. */
        public Optional<ObjectPart> part() {
            return part;
        }

        /** Returns the metadata of the cached object, of which this may be a slice. */
        public ObjectMetadata metadata() {
            return metadata;
        }

        /** Returns what clients see of the object. */
        public ObjectHead head() {
            return slice == null ? metadata.head() : slice.head();
        }

        /** Returns the place of bytes in the cached object. */
        ByteRange placed(ByteRange range) {
            return slice == null ? range : slice.placed(range);
        }

        /** Returns the source of what is not cached, for a reader with this context. */
        ObjectSource source(ContextView context) {
            return source.apply(context);
        }

        /** Returns whether the backend was asked for this read, or for a concurrent one. */
        public boolean isForwarded() {
            return forwarded;
        }

        /** Returns the cache status of the metadata. */
        public CacheStatus status() {
            return status;
        }

        /** Returns the cache status of a response with these bytes. */
        public CacheStatus status(ByteRange range) {
            if (status.forwarded() != CacheStatus.Forward.NONE) {
                return status;
            }
            return switch (reader.availability(metadata, placed(range))) {
                case AVAILABLE -> status;
                case IN_FLIGHT -> missed(true);
                case ABSENT -> missed(false);
            };
        }

        /** Who asks does not matter: an object has one home for all. */
        private CacheStatus missed(boolean collapsed) {
            return CacheStatus.miss(collapsed).ifStored(source.apply(Context.empty()));
        }

        /** Returns whether these bytes can be read without a request to the backend. */
        public boolean isAvailable(ByteRange range) {
            return availability(range) == BlockAvailability.AVAILABLE;
        }

        /** Returns the availability of these bytes. */
        BlockAvailability availability(ByteRange range) {
            return reader.availability(metadata, placed(range));
        }

        /**
         * Returns whether all these bytes are on disks; computed on another thread for a large object. Empty if too
         * many such requests are running.
         */
        public Mono<Boolean> isFullyResident(ByteRange range) {
            return reader.isFullyResident(metadata, placed(range));
        }

        /**
         * Returns bytes of this version that can be read at once, as {@link CacheReader#readFromMemory} does; null for
         * the reader that opened the object, which its fill waits for.
         */
        public @Nullable ByteBuf readFromMemory(ByteRange range) {
            return isOpening() ? null : reader.readFromMemory(metadata, placed(range));
        }

        /** Reads bytes of this version, as {@link CacheReader#read} does. */
        public Flux<ReferenceCounted> read(ByteRange range) {
            return Flux.deferContextual(
                    context -> reader.read(metadata, placed(range), source.apply(context), opening));
        }

        /** Reads bytes of this version for a reader inside the gateway, as {@link CacheReader#readBuffers} does. */
        public Flux<ByteBuf> readBuffers(ByteRange range) {
            return Flux.deferContextual(
                    context -> reader.readBuffers(metadata, placed(range), source.apply(context), opening));
        }
    }

    /** The object is not cached, and the request forbids asking the backend. */
    record NotCached() implements CurrentObject {}

    /**
     * The object is read without the cache.
     *
     * @param content the response that was already opened for this read; the caller owns it
     */
    record Bypass(Optional<ObjectContent> content) implements CurrentObject {}
}
