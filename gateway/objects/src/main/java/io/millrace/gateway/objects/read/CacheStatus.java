package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.TierResponse;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The cache status of a response, as the {@code Cache-Status} header reports it.
 *
 * @param forwarded why the backend was asked; {@link Forward#NONE} for a hit
 * @param collapsed whether the request joined another one
 * @param stored whether the backend's response is cached
 * @param ttl seconds until a hit is stale, negative if it is; empty if it never is
 * @param ageMillis milliseconds since the backend was asked, or the origin behind it if that is a gateway; empty if it
 *     was asked for this
 * @param upstream the statuses of the gateways that the response came from, as they reported them; may be empty
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9211">RFC 9211</a>
 */
public record CacheStatus(
        Forward forwarded,
        boolean collapsed,
        boolean stored,
        OptionalLong ttl,
        OptionalLong ageMillis,
        String upstream) {
    /** The name of the header that reports a status. */
    public static final String HEADER = "cache-status";

    /** The status of a request that bypassed the cache. */
    public static final CacheStatus BYPASS = of(Forward.BYPASS, false, false);

    /** The reason why a request was forwarded to the backend. */
    public enum Forward {
        /** Not forwarded. */
        NONE,
        /** The object or some of its bytes were not cached. */
        MISS,
        /** The cached metadata was stale. */
        STALE,
        /** The cache was bypassed. */
        BYPASS
    }

    /** Returns the status of a hit that never becomes stale. */
    public static CacheStatus hitForEver(long ageMillis) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.empty(), OptionalLong.of(ageMillis), "");
    }

    /** Returns the status of a hit that is fresh for {@code ttl} more seconds. */
    public static CacheStatus hit(long ttl) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.of(ttl), OptionalLong.empty(), "");
    }

    /** Returns the status of a hit of this age; it is stale if {@code ttl} is negative. */
    public static CacheStatus hit(long ttl, long ageMillis) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.of(ttl), OptionalLong.of(ageMillis), "");
    }

    /** Returns the status of a forwarded request whose response is stored. */
    public static CacheStatus ofForwarded(Forward why) {
        return of(why, false, true);
    }

    /** Returns the status of a miss. */
    public static CacheStatus miss(boolean collapsed) {
        return of(Forward.MISS, collapsed, true);
    }

    /** Returns this status for a response that is not stored, such as an error. */
    public CacheStatus notStored() {
        return new CacheStatus(forwarded, collapsed, false, ttl, ageMillis, upstream);
    }

    /** Returns this status for a response of this source: what another gateway stores is seldom stored here too. */
    CacheStatus ifStored(ObjectSource source) {
        return source.traits().storing() == SourceTraits.Storing.ALWAYS ? this : notStored();
    }

    /** Returns this status for a response that came from a gateway, with that gateway's report. */
    public CacheStatus through(Optional<TierResponse> gateway) {
        return gateway.map(report -> {
                    long millis = report.age().toMillis();
                    return new CacheStatus(
                            forwarded,
                            collapsed,
                            stored,
                            ttl,
                            millis > 0 ? OptionalLong.of(millis) : ageMillis,
                            report.cacheStatus());
                })
                .orElse(this);
    }

    /**
     * Returns the seconds that every client gets: of a stale hit, or those that a gateway before this reported. The age
     * of other hits is within the bounds that the operator has set.
     */
    public OptionalLong shownAge() {
        boolean isFreshHit = forwarded == Forward.NONE && (ttl.isEmpty() || ttl.getAsLong() >= 0);
        return isFreshHit || ageMillis.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(ageSeconds(ageMillis.getAsLong()));
    }

    /** Returns an age in whole seconds, as {@code Age} has it: rounded up, so that content is never older than that. */
    public static long ageSeconds(long millis) {
        return -Math.floorDiv(-millis, 1000L);
    }

    /** Returns the failure with this status, unless it has one. */
    public BackendException addTo(BackendException failure) {
        return failure instanceof BackendReadException ? failure : new BackendReadException(failure, this);
    }

    /** Returns what meters count. */
    public CacheResult result() {
        return switch (forwarded) {
            case NONE -> ttl.isPresent() && ttl.getAsLong() < 0 ? CacheResult.STALE : CacheResult.HIT;
            case MISS -> collapsed ? CacheResult.COLLAPSED : CacheResult.MISS;
            case STALE -> CacheResult.STALE;
            case BYPASS -> CacheResult.BYPASS;
        };
    }

    private static CacheStatus of(Forward forwarded, boolean collapsed, boolean stored) {
        return new CacheStatus(forwarded, collapsed, stored, OptionalLong.empty(), OptionalLong.empty(), "");
    }

    /** Returns the value of the header: those of the gateways before this one come first. */
    public String toHeader() {
        return upstream.isEmpty() ? own() : upstream + ", " + own();
    }

    private String own() {
        return switch (forwarded) {
            case NONE -> ttl.isEmpty() ? "millrace; hit" : "millrace; hit; ttl=" + ttl.getAsLong();
            case MISS -> "millrace; fwd=miss" + (collapsed ? "; collapsed" : "") + (stored ? "; stored" : "");
            case STALE -> "millrace; fwd=stale" + (collapsed ? "; collapsed" : "") + (stored ? "; stored" : "");
            case BYPASS -> "millrace; fwd=bypass";
        };
    }
}
