package io.millrace.gateway.objects.read;

import io.millrace.cache.metadata.ObjectMetadata;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How an object stands with the cache, and what a plain GET of it would do now. Nobody was asked for it.
 *
 * @param metadata what is known; empty if nothing is
 * @param cachedBytes bytes of that version that are on a disk
 * @param cachedBlocks blocks of it that are on a disk
 * @param ageMillis since the backend was asked for it; 0 if nothing is known
 * @param freshMillis until it is asked for again, negative if that should have been; none if never, or if nothing is known
 * @param missingMillis for how long the key is still taken to be missing; none if it is not
 * @param beingWritten whether a write is under way, or was never answered, so that nothing is taken for known
 * @param aliased whether the backend may take another key for this one, so that it is asked each time
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
        boolean aliased) {
    /** What a plain GET of the whole object would do. */
    public enum Next {
        /** There is no cache, or none for this object. */
        BYPASS,
        /** It is answered from the disks. */
        HIT,
        /** It is answered from what is known though that is old, and the backend is asked behind it. */
        STALE,
        /** What is known is fresh, and some bytes have to be fetched. */
        PARTIAL,
        /** The backend is asked whether what is known is still so. */
        REVALIDATE,
        /** The backend is asked for the object. */
        MISS,
        /** It is answered that there is no such key. */
        MISSING
    }

    static final ReadPreview WITHOUT_CACHE = new ReadPreview(
            Next.BYPASS, Optional.empty(), 0, 0, 0, OptionalLong.empty(), OptionalLong.empty(), false, false);

    /** The same without a word on whether the key is missing. */
    public ReadPreview unknown() {
        return unknown(OptionalLong.empty(), beingWritten, aliased);
    }

    /** Of an object that is known, and of which so many bytes are on a disk. */
    static ReadPreview of(
            ObjectMetadata head, long bytes, ReadPlan plan, long age, OptionalLong fresh, boolean aliased) {
        return new ReadPreview(
                next(plan, bytes < head.size()),
                Optional.of(head),
                bytes,
                // All blocks but the last one are of that size.
                (bytes + head.blockSize() - 1) / head.blockSize(),
                age,
                fresh,
                OptionalLong.empty(),
                false,
                aliased);
    }

    private static Next next(ReadPlan plan, boolean partly) {
        return switch (plan) {
            case SERVE -> partly ? Next.PARTIAL : Next.HIT;
            case SERVE_STALE_WHILE_REVALIDATING -> partly ? Next.REVALIDATE : Next.STALE;
            case REVALIDATE, REVALIDATE_STRICTLY, FETCH -> Next.REVALIDATE;
        };
    }

    /** Of an object of which nothing is known but that it may be missing. */
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
                aliased);
    }
}
