package io.millrace.gateway.objects.read;

import java.util.Locale;

/** The result of the cache for a request, as meters count it: hit, miss, collapsed, stale or bypass. */
public enum CacheResult {
    /** All bytes and metadata came from the cache. */
    HIT,
    /** The backend served it. */
    MISS,
    /** A fetch that another request had started served it. */
    COLLAPSED,
    /** The cached metadata was stale: the backend revalidated it, or could not be reached. */
    STALE,
    /** The cache was bypassed. */
    BYPASS;

    /** Returns the name in meters. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
