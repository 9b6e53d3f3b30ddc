package io.millrace.gateway.control;

import io.millrace.cache.CachedHead;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.freshness.Standing;

/** Why a GET would be answered as it would, in a sentence. */
final class Reason {
    private final BucketView bucket;
    private final Standing standing;

    private Reason(BucketView bucket, Standing standing) {
        this.bucket = bucket;
        this.standing = standing;
    }

    static String of(BucketView bucket, Standing standing) {
        return new Reason(bucket, standing).text();
    }

    private String text() {
        return switch (standing.next()) {
            case BYPASS ->
                "The next GET goes past the cache to backend '%s': %s."
                        .formatted(
                                bucket.backendName(),
                                bucket.cache().isEmpty()
                                        ? "no disk is configured"
                                        : "the bucket's rules do not let it be cached, or no disk is configured");
            case HIT -> "The next GET is answered from the cache: all of its bytes are here, and " + fresh() + '.';
            case STALE ->
                "The next GET is answered from what is known (%s), %d s old, and backend '%s' is asked behind it (stale-while-revalidate)."
                        .formatted(here(), standing.ageMillis() / 1000, bucket.backendName());
            case PARTIAL ->
                "The next GET fetches what is not here from backend '%s' (%s): what is known need not be asked for, since %s."
                        .formatted(bucket.backendName(), here(), fresh());
            case REVALIDATE ->
                "The next GET first asks backend '%s' whether this is still the object, since %s. If so, what is here is used (%s)."
                        .formatted(bucket.backendName(), why(), here());
            case MISS -> miss();
            case MISSING ->
                "The next GET is answered with NoSuchKey: backend '%s' said so, and is believed for another %d s (negative-ttl)."
                        .formatted(
                                bucket.backendName(), standing.missingMillis().orElse(0) / 1000 + 1);
        };
    }

    private String miss() {
        String asks = "The next GET asks backend '%s', ".formatted(bucket.backendName());
        return standing.beingWritten()
                ? asks
                        + "and keeps nothing of the answer: the object is being written, or a write of it was never answered."
                : asks
                        + "since nothing is known of this object, and keeps what comes unless it cannot be pinned to a version.";
    }

    private String fresh() {
        return standing.freshMillis().isPresent()
                ? "the backend was asked %d s ago and is not asked again for another %d s (ttl)"
                        .formatted(
                                standing.ageMillis() / 1000,
                                standing.freshMillis().getAsLong() / 1000 + 1)
                : "the bucket is immutable, so the backend is never asked again";
    }

    private String why() {
        if (standing.aliased()) {
            return "the backend may take another key for this one";
        }
        if (bucket.freshness().mode() == Mode.STRICT) {
            return "the bucket is strict";
        }
        if (standing.head().filter(CachedHead::doubtful).isPresent()) {
            return "what is known is of before a crash or an invalidation, or of a disk that was away";
        }
        return "what is known is %d s old, and the bucket's ttl is %d s (up to a tenth less, by key)"
                .formatted(standing.ageMillis() / 1000, bucket.freshness().ttl().toSeconds());
    }

    private String here() {
        long blocks = standing.head().map(CachedHead::blocks).orElse(0L);
        return "%d of %d blocks are cached".formatted(standing.cachedBlocks(), blocks);
    }
}
