package io.millrace.gateway.control;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.CacheRule;
import io.millrace.gateway.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.freshness.Standing;
import java.util.Optional;

/** Why a GET of an object would be answered as it would, in a sentence. */
final class Reason {
    private final BucketView bucket;
    private final Optional<CacheRule> rule;
    private final boolean cached;

    /**
     * @param rule of the bucket that decides whether the object is cached
     * @param cached whether there is a cache at all
     */
    Reason(BucketView bucket, Optional<CacheRule> rule, boolean cached) {
        this.bucket = bucket;
        this.rule = rule;
        this.cached = cached;
    }

    String of(Standing standing) {
        return switch (standing.next()) {
            case BYPASS ->
                "The next GET goes past the cache to backend '%s': %s.".formatted(bucket.backendName(), past(standing));
            case HIT ->
                "The next GET is answered from the cache: all of its bytes are here, and " + fresh(standing) + '.';
            case STALE ->
                "The next GET is answered from what is known (%s), %d s old, and backend '%s' is asked behind it (stale-while-revalidate)."
                        .formatted(here(standing), standing.ageMillis() / 1000, bucket.backendName());
            case PARTIAL ->
                "The next GET fetches what is not here from backend '%s' (%s): what is known need not be asked for, since %s."
                        .formatted(bucket.backendName(), here(standing), fresh(standing));
            case REVALIDATE ->
                "The next GET first asks backend '%s' whether this is still the object, since %s. If so, what is here is used (%s)."
                        .formatted(bucket.backendName(), why(standing), here(standing));
            case MISS -> miss(standing);
            case MISSING ->
                "The next GET is answered with NoSuchKey: backend '%s' said so, and is believed for another %d s (negative-ttl)."
                        .formatted(
                                bucket.backendName(), standing.missingMillis().orElse(0) / 1000 + 1);
        };
    }

    private String past(Standing standing) {
        if (!cached || rule.isEmpty()) {
            return "no disk is configured";
        }
        if (!rule.get().store()) {
            return "the bucket's rule for keys '%s' has store: false"
                    .formatted(rule.get().keys().value());
        }
        return "it has %,d bytes, and the bucket's rule for keys '%s' caches what has %s"
                .formatted(
                        standing.head().map(ObjectMetadata::size).orElse(0L),
                        rule.get().keys().value(),
                        rule.get().limits());
    }

    private String miss(Standing standing) {
        String asks = "The next GET asks backend '%s', ".formatted(bucket.backendName());
        return standing.beingWritten()
                ? asks
                        + "and keeps nothing of the answer: the object is being written, or a write of it was never answered."
                : asks
                        + "since nothing is known of this object, and keeps what comes%s unless it cannot be pinned to a version."
                                .formatted(limits());
    }

    /** What is to be known of the object before it is decided. */
    private String limits() {
        return rule.filter(CacheRule::hasLimits)
                .map(limited -> " if it has %s (the bucket's rule for keys '%s'),"
                        .formatted(limited.limits(), limited.keys().value()))
                .orElse("");
    }

    private static String fresh(Standing standing) {
        return standing.freshMillis().isPresent()
                ? "the backend was asked %d s ago and is not asked again for another %d s (ttl)"
                        .formatted(
                                standing.ageMillis() / 1000,
                                standing.freshMillis().getAsLong() / 1000 + 1)
                : "the bucket is immutable, so the backend is never asked again";
    }

    private String why(Standing standing) {
        if (standing.aliased()) {
            return "the backend may take another key for this one";
        }
        if (bucket.freshness().mode() == Mode.STRICT) {
            return "the bucket is strict";
        }
        if (standing.head().filter(ObjectMetadata::doubtful).isPresent()) {
            return "what is known is of before a crash or an invalidation, or of a disk that was away";
        }
        return "what is known is %d s old, and the bucket's ttl is %d s (up to a tenth less, by key)"
                .formatted(standing.ageMillis() / 1000, bucket.freshness().ttl().toSeconds());
    }

    private static String here(Standing standing) {
        long blocks = standing.head().map(ObjectMetadata::blocks).orElse(0L);
        return "%d of %d blocks are cached".formatted(standing.cachedBlocks(), blocks);
    }
}
