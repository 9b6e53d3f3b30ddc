package io.millrace.gateway.objects.read;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The decision how a read is served by the freshness of the cached metadata: from the cache, after revalidation, or by
 * a fetch.
 */
enum FreshnessDecision {
    /** Serve the cached object. */
    SERVE,
    /** Serve the stale object and revalidate it in the background. */
    SERVE_STALE_WHILE_REVALIDATING,
    /** Revalidate; a running request suffices. */
    REVALIDATE,
    /** Revalidate with a request that is sent after this read arrived. */
    REVALIDATE_STRICTLY,
    /** Fetch an object without cached metadata. */
    FETCH;

    /**
     * Decides how a read is served.
     *
     * @param complete whether everything is needed that a HEAD response has
     * @param client the request's cache directives
     * @param now milliseconds since 1970
     */
    static FreshnessDecision of(
            @Nullable ObjectMetadata cached,
            FreshnessSettings freshness,
            boolean complete,
            RequestCacheControl client,
            long now) {
        if (cached == null) {
            return FETCH;
        }
        boolean immutable = isImmutable(freshness);
        if (client.requiresRevalidation() || (!immutable && freshness.mode() == FreshnessSettings.Mode.STRICT)) {
            return REVALIDATE_STRICTLY;
        }
        if (cached.mustRevalidate() || (complete && !cached.complete()) || !client.accepts(now - cached.fetchedAt())) {
            return REVALIDATE;
        }
        if (immutable || isWithin(freshMillis(freshness, cached), cached, now)) {
            return SERVE;
        }
        return mayServeWhileRevalidating(freshness, cached, client, now) ? SERVE_STALE_WHILE_REVALIDATING : REVALIDATE;
    }

    /**
     * Returns whether the object may be served stale while it is revalidated; never for a request with a maximum age.
     */
    private static boolean mayServeWhileRevalidating(
            FreshnessSettings freshness, ObjectMetadata cached, RequestCacheControl client, long now) {
        Duration staleTime = freshness.staleWhileRevalidate();
        return !staleTime.isZero()
                && client.maxAge().isEmpty()
                && isWithin(ttl(freshness).plus(staleTime).toMillis(), cached, now);
    }

    /** Returns whether the object may be served stale while the backend fails. */
    static boolean mayServeStaleOnError(ObjectMetadata cached, FreshnessSettings freshness, long now) {
        boolean inTime = switch (freshness.mode()) {
            case IMMUTABLE -> true;
            case TTL -> isWithin(freshness.ttl().plus(freshness.staleIfError()).toMillis(), cached, now);
            case STRICT -> false;
        };
        return inTime && !cached.mustRevalidate();
    }

    /** Returns the freshness lifetime in milliseconds, unless the object is immutable. */
    static long freshMillis(FreshnessSettings freshness, ObjectMetadata cached) {
        return FreshnessLifetime.millis(ttl(freshness), cached.id().hashCode());
    }

    private static Duration ttl(FreshnessSettings freshness) {
        return freshness.mode() == FreshnessSettings.Mode.TTL ? freshness.ttl() : Duration.ZERO;
    }

    /**
     * Returns whether the metadata is younger than this. A clock that was set back makes everything stale, not fresh.
     */
    private static boolean isWithin(long millis, ObjectMetadata cached, long now) {
        long age = now - cached.fetchedAt();
        return age >= 0 && age < millis;
    }

    /**
     * Returns whether cached objects are never revalidated. That does not apply to a version read by its id: its bytes
     * never change, but its tags, locks and restores may.
     */
    static boolean isImmutable(FreshnessSettings freshness) {
        return freshness.mode() == FreshnessSettings.Mode.IMMUTABLE;
    }
}
