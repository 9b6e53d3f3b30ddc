package io.millrace.gateway.control;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.read.ReadPreview;
import java.util.Optional;

/**
 * Composes the sentence that tells users what the next GET of an object does and why.
 *
 * @param rule the cache rule that applies to the object
 * @param cached whether a cache is configured
 */
record NextGetSentence(BucketView bucket, Optional<CacheRule> rule, boolean cached) {
    String describe(ReadPreview preview) {
        if (bucket.isScratch()) {
            return inScratch(preview);
        }
        return switch (preview.next()) {
            case BYPASS ->
                "The next GET bypasses the cache and goes to backend '%s': %s."
                        .formatted(bucket.backendName(), past(preview));
            case HIT -> "The next GET is served from the cache: all blocks are cached, and " + fresh(preview) + '.';
            case STALE ->
                ("The next GET is served stale, %2$d s old (%1$s), and revalidated at backend '%3$s' meanwhile"
                                + " (stale-while-revalidate).")
                        .formatted(here(preview), preview.ageMillis() / 1000, bucket.backendName());
            case PARTIAL ->
                "The next GET fetches the missing blocks from backend '%s' (%s) without revalidation: %s."
                        .formatted(bucket.backendName(), here(preview), fresh(preview));
            case REVALIDATE ->
                ("The next GET first revalidates the object at backend '%s': %s. If it is unchanged, cached blocks are"
                                + " used (%s).")
                        .formatted(bucket.backendName(), why(preview), here(preview));
            case MISS -> miss(preview);
            case MISSING ->
                ("The next GET fails with NoSuchKey: backend '%s' reported the key missing, which is cached for another"
                                + " %d s (negative-ttl).")
                        .formatted(bucket.backendName(), preview.missingMillis().orElse(0) / 1000 + 1);
        };
    }

    private static String inScratch(ReadPreview preview) {
        return preview.next() == ReadPreview.Next.HIT
                ? "The next GET is served from the cache, which alone has the object: it was written %d s ago."
                        .formatted(preview.ageMillis() / 1000)
                : "The next GET fails with NoSuchKey: the object was never written, was deleted, is beyond the bucket's"
                        + " ttl, or has lost a block, as to the bucket's quota.";
    }

    /** Describes a GET of an object that is not cached while its backend does not answer. */
    String describeFailure() {
        return ("The next GET fails with ServiceUnavailable unless backend '%s' is back: it is down, and no metadata of"
                        + " the object is cached.")
                .formatted(bucket.backendName());
    }

    private String past(ReadPreview preview) {
        if (!cached || rule.isEmpty()) {
            return "no disk is configured";
        }
        if (!rule.get().store()) {
            return "the bucket's rule for keys '%s' has store: false"
                    .formatted(rule.get().keys().value());
        }
        return "it has %,d bytes, and the bucket's rule for keys '%s' caches objects with %s"
                .formatted(
                        preview.metadata().map(ObjectMetadata::size).orElse(0L),
                        rule.get().keys().value(),
                        rule.get().limits());
    }

    private String miss(ReadPreview preview) {
        String reason = "The next GET fetches the object from backend '%s' ".formatted(bucket.backendName());
        return preview.beingWritten()
                ? reason + "and does not cache it: the object is being written, or the outcome of a write is unknown."
                : reason
                        + "because no metadata of it is cached (it was never read, or evicted, or invalidated), and"
                        + " caches it%s if the backend sends a strong ETag.".formatted(limits());
    }

    /** The size limits of the cache rule, which apply once the size of the object is known. */
    private String limits() {
        return rule.filter(CacheRule::hasLimits)
                .map(limited -> " if it has %s (the bucket's rule for keys '%s'), and"
                        .formatted(limited.limits(), limited.keys().value()))
                .orElse("");
    }

    private static String fresh(ReadPreview preview) {
        return preview.freshMillis().isPresent()
                ? "the metadata is %d s old and fresh for another %d s (ttl)"
                        .formatted(
                                preview.ageMillis() / 1000,
                                preview.freshMillis().getAsLong() / 1000)
                : "the bucket is immutable, so it is never revalidated";
    }

    private String why(ReadPreview preview) {
        if (preview.aliased()) {
            return "the backend may treat another key as the same object";
        }
        if (bucket.freshness().mode() == Mode.STRICT) {
            return "the bucket is strict";
        }
        if (preview.metadata().filter(ObjectMetadata::mustRevalidate).isPresent()) {
            return "its metadata predates a power loss, a failure of the metadata store, or an invalidation that it"
                    + " could not store";
        }
        return "its metadata is %d s old, and the bucket's ttl is %d s (up to a tenth less, by key)"
                .formatted(preview.ageMillis() / 1000, bucket.freshness().ttl().toSeconds());
    }

    private static String here(ReadPreview preview) {
        long blocks = preview.metadata().map(ObjectMetadata::blocks).orElse(0L);
        return "%d of %d blocks are cached".formatted(preview.cachedBlocks(), blocks);
    }
}
