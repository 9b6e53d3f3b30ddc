package io.millrace.gateway.freshness;

import io.millrace.cache.CachedHead;
import io.millrace.gateway.bucket.FreshnessSettings;
import org.jspecify.annotations.Nullable;

/** What to do about a read, given what is cached. */
enum ReadPlan {
    /** What is known is served. */
    SERVE,
    /** The backend is asked whether it is still so; a question that is under way will do. */
    REVALIDATE,
    /** The backend is asked, after this read came. */
    ASK_ANEW,
    /** Nothing is known: the backend is asked for it. */
    FETCH;

    /**
     * Decides.
     *
     * @param complete whether all is needed that a HEAD tells
     * @param now milliseconds since 1970
     */
    static ReadPlan of(@Nullable CachedHead cached, FreshnessSettings freshness, boolean complete, long now) {
        if (cached == null) {
            return FETCH;
        }
        if (cached.doubtful() || (complete && !cached.complete())) {
            return REVALIDATE;
        }
        if (isForEver(cached, freshness)) {
            return SERVE;
        }
        if (freshness.mode() == FreshnessSettings.Mode.STRICT) {
            return ASK_ANEW;
        }
        long age = now - cached.askedAt();
        // A clock that was set back makes everything old, not young.
        return age >= 0 && age < freshness.ttl().toMillis() ? SERVE : REVALIDATE;
    }

    /** Whether what is cached need never be asked for again. */
    static boolean isForEver(CachedHead cached, FreshnessSettings freshness) {
        return freshness.mode() == FreshnessSettings.Mode.IMMUTABLE
                || cached.id().versionId().filter(id -> !id.equals("null")).isPresent();
    }
}
