package io.millrace.gateway.objects.read;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.freshness.FreshnessLifetime;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What to do about a read, given what is cached. */
enum ReadPlan {
    /** What is known is served. */
    SERVE,
    /** What is known is served though it is old, and the backend is asked behind it. */
    SERVE_STALE_WHILE_REVALIDATING,
    /** The backend is asked whether it is still so; a question that is under way will do. */
    REVALIDATE,
    /** The backend is asked, after this read came. */
    REVALIDATE_STRICTLY,
    /** Nothing is known: the backend is asked for it. */
    FETCH;

    /**
     * Decides.
     *
     * @param complete whether all is needed that a HEAD tells
     * @param client what the client wants besides
     * @param now milliseconds since 1970
     */
    static ReadPlan of(
            @Nullable ObjectMetadata cached,
            FreshnessSettings freshness,
            boolean complete,
            RequestCacheControl client,
            long now) {
        if (cached == null) {
            return FETCH;
        }
        boolean forEver = isImmutable(freshness);
        if (client.requiresRevalidation() || (!forEver && freshness.mode() == FreshnessSettings.Mode.STRICT)) {
            return REVALIDATE_STRICTLY;
        }
        if (cached.mustRevalidate() || (complete && !cached.complete()) || !client.accepts(now - cached.fetchedAt())) {
            return REVALIDATE;
        }
        if (forEver || isWithin(freshMillis(freshness, cached), cached, now)) {
            return SERVE;
        }
        return mayServeWhileRevalidating(freshness, cached, client, now) ? SERVE_STALE_WHILE_REVALIDATING : REVALIDATE;
    }

    /** Who tells how old it may be wants none that is older than its rules want. */
    private static boolean mayServeWhileRevalidating(
            FreshnessSettings freshness, ObjectMetadata cached, RequestCacheControl client, long now) {
        Duration behind = freshness.staleWhileRevalidate();
        return !behind.isZero()
                && client.maxAge().isEmpty()
                && isWithin(ttl(freshness).plus(behind).toMillis(), cached, now);
    }

    /** Whether what is cached may be served, though it ought to have been asked for, while the backend is in trouble. */
    static boolean mayServeStaleOnError(ObjectMetadata cached, FreshnessSettings freshness, long now) {
        boolean inTime = switch (freshness.mode()) {
            case IMMUTABLE -> true;
            case TTL -> isWithin(freshness.ttl().plus(freshness.staleIfError()).toMillis(), cached, now);
            case STRICT -> false;
        };
        return inTime && !cached.mustRevalidate();
    }

    /** How long it is served without asking, in milliseconds, if it is not for ever. */
    static long freshMillis(FreshnessSettings freshness, ObjectMetadata cached) {
        return FreshnessLifetime.millis(ttl(freshness), cached.id().hashCode());
    }

    private static Duration ttl(FreshnessSettings freshness) {
        return freshness.mode() == FreshnessSettings.Mode.TTL ? freshness.ttl() : Duration.ZERO;
    }

    /** A clock that was set back makes everything old, not young. */
    private static boolean isWithin(long millis, ObjectMetadata cached, long now) {
        long age = now - cached.fetchedAt();
        return age >= 0 && age < millis;
    }

    /**
     * Whether what is cached need never be asked for again. A version named by its id is not: its bytes never change, but tags,
     * locks and restores are of versions too.
     */
    static boolean isImmutable(FreshnessSettings freshness) {
        return freshness.mode() == FreshnessSettings.Mode.IMMUTABLE;
    }
}
