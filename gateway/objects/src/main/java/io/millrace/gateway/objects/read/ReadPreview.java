package io.millrace.gateway.objects.read;

import io.millrace.cache.metadata.ObjectMetadata;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A preview of what a plain GET of an object would do now, made from the cache alone.
 *
 * @param metadata the cached metadata; empty if there is none
 * @param cachedBytes bytes of that version on disks
 * @param cachedBlocks blocks of it on disks
 * @param ageMillis time since the backend was asked for the metadata; 0 without metadata
 * @param freshMillis time until it is stale, negative if it is; empty if it never is, or without metadata
 * @param missingMillis how long the key still counts as missing; empty if it does not
 * @param beingWritten whether a write is running, or had no response, so that nothing is cached
 * @param aliased whether the backend may treat another key as this one, so that every read is revalidated
 * @param made what a transform has made of the object; empty if that is not cached, or if the object is what is read
 */
public record ReadPreview(
        Next next,
        Optional<ObjectMetadata> metadata,
        long cachedBytes,
        long cachedBlocks,
        long ageMillis,
        OptionalLong freshMillis,
        OptionalLong missingMillis,
        boolean beingWritten,
        boolean aliased,
        Optional<Made> made) {
    /**
     * A cached result of a transform.
     *
     * @param cachedBytes bytes of it on disks
     */
    public record Made(ObjectMetadata metadata, long cachedBytes) {}

    /** The outcome of a plain GET of the whole object. */
    public enum Next {
        /** Served without the cache, because there is none or a rule excludes the object. */
        BYPASS,
        /** Served from disks. */
        HIT,
        /** Served stale from disks, and revalidated in the background. */
        STALE,
        /** Fresh, but some bytes must be fetched. */
        PARTIAL,
        /** Revalidated first. */
        REVALIDATE,
        /** Fetched from the backend. */
        MISS,
        /** Reported as missing from the negative cache. */
        MISSING
    }

    static final ReadPreview WITHOUT_CACHE = new ReadPreview(
            Next.BYPASS,
            Optional.empty(),
            0,
            0,
            0,
            OptionalLong.empty(),
            OptionalLong.empty(),
            false,
            false,
            Optional.empty());

    /** Returns a preview without metadata and without the negative cache. */
    public ReadPreview unknown() {
        return unknown(OptionalLong.empty(), beingWritten, aliased);
    }

    /** Returns this preview with another outcome. */
    public ReadPreview withNext(Next outcome) {
        return with(outcome, made);
    }

    /** Returns this preview of an object with that of what a transform has made of it, which is read. */
    ReadPreview withMade(ObjectMetadata result, long bytes) {
        // A block that is missing is made by a whole call.
        return with(bytes < result.size() ? Next.MISS : Next.HIT, Optional.of(new Made(result, bytes)));
    }

    private ReadPreview with(Next outcome, Optional<Made> result) {
        return new ReadPreview(
                outcome,
                metadata,
                cachedBytes,
                cachedBlocks,
                ageMillis,
                freshMillis,
                missingMillis,
                beingWritten,
                aliased,
                result);
    }

    /** Returns the preview of an object with metadata and {@code bytes} resident bytes. */
    static ReadPreview of(
            ObjectMetadata metadata,
            long bytes,
            FreshnessDecision decision,
            long age,
            OptionalLong fresh,
            boolean aliased) {
        return new ReadPreview(
                next(decision, bytes < metadata.size()),
                Optional.of(metadata),
                bytes,
                // All blocks but the last one have that size.
                (bytes + metadata.blockSize() - 1) / metadata.blockSize(),
                age,
                fresh,
                OptionalLong.empty(),
                false,
                aliased,
                Optional.empty());
    }

    private static Next next(FreshnessDecision decision, boolean partly) {
        return switch (decision) {
            case SERVE -> partly ? Next.PARTIAL : Next.HIT;
            case SERVE_STALE_WHILE_REVALIDATING -> partly ? Next.REVALIDATE : Next.STALE;
            case REVALIDATE, REVALIDATE_STRICTLY, FETCH -> Next.REVALIDATE;
        };
    }

    /** Returns the preview of an object without metadata. */
    static ReadPreview unknown(OptionalLong missing, boolean beingWritten, boolean aliased) {
        return new ReadPreview(
                missing.isPresent() ? Next.MISSING : Next.MISS,
                Optional.empty(),
                0,
                0,
                0,
                OptionalLong.empty(),
                missing,
                beingWritten,
                aliased,
                Optional.empty());
    }
}
