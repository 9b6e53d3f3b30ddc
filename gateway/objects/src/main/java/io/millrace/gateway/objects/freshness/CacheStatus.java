package io.millrace.gateway.objects.freshness;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import java.util.OptionalLong;

/**
 * The cache status of a response, as the {@code Cache-Status} header reports it.
 *
 * @param forwarded why the backend was asked; {@link Forward#NONE} for a hit
 * @param collapsed whether the request joined another one
 * @param stored whether the backend's response is cached
 * @param ttl seconds until a hit is stale, negative if it is; empty if it never is
 * @param age seconds since the backend was asked, for stale responses; otherwise empty
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9211">RFC 9211</a>
 */
public record CacheStatus(Forward forwarded, boolean collapsed, boolean stored, OptionalLong ttl, OptionalLong age) {
    private static final String FIELD = "cache-status";

    /** The reason why a request was forwarded to the backend. */
    public enum Forward {
        /** Not forwarded. */
        NONE,
        /** The object or some of its bytes were not cached. */
        MISS,
        /** The cached metadata was stale. */
        STALE
    }

    private static final CacheStatus HIT_FOR_EVER = of(Forward.NONE, false, false);

    /** Returns the status of a hit that never becomes stale. */
    public static CacheStatus hit() {
        return HIT_FOR_EVER;
    }

    /** Returns the status of a hit that is fresh for {@code ttl} more seconds. */
    public static CacheStatus hit(long ttl) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.of(ttl), OptionalLong.empty());
    }

    /** Returns the status of a hit that is served stale. */
    public static CacheStatus stale(long ttl, long age) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.of(ttl), OptionalLong.of(age));
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
        return new CacheStatus(forwarded, collapsed, false, ttl, age);
    }

    /** Returns the failure with the status in its headers, unless it has one. */
    public BackendException addTo(BackendException failure) {
        return failure.headers().first(FIELD).isPresent() ? failure : failure.withHeaders(addTo(failure.headers()));
    }

    /** Returns the headers with the status added. */
    public HeaderList addTo(HeaderList fields) {
        HeaderList withStatus = fields.with(FIELD, text());
        return age.isPresent() ? withStatus.with("age", Long.toString(age.getAsLong())) : withStatus;
    }

    /** Returns whether the headers consist of the status alone. */
    public static boolean isOnlyHeaderIn(HeaderList fields) {
        return fields.fields().stream().allMatch(field -> field.name().equals(FIELD));
    }

    private static CacheStatus of(Forward forwarded, boolean collapsed, boolean stored) {
        return new CacheStatus(forwarded, collapsed, stored, OptionalLong.empty(), OptionalLong.empty());
    }

    private String text() {
        return switch (forwarded) {
            case NONE -> ttl.isEmpty() ? "millrace; hit" : "millrace; hit; ttl=" + ttl.getAsLong();
            case MISS -> "millrace; fwd=miss" + (collapsed ? "; collapsed" : "") + (stored ? "; stored" : "");
            case STALE -> "millrace; fwd=stale" + (collapsed ? "; collapsed" : "") + (stored ? "; stored" : "");
        };
    }
}
