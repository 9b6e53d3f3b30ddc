package io.millrace.gateway.objects.freshness;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import java.util.OptionalLong;

/**
 * How an answer came about, as {@code Cache-Status} tells it.
 *
 * @param forwarded why the backend was asked; {@link Forward#NONE} for a hit
 * @param collapsed whether another request's answer was waited for
 * @param stored whether what the backend sent is kept
 * @param ttl seconds until a hit is asked for again, negative if that should have been by now; none if never
 * @param age seconds since the backend was asked, told where an answer is older than its bucket's rules want; none otherwise
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9211">RFC 9211</a>
 */
public record CacheStatus(Forward forwarded, boolean collapsed, boolean stored, OptionalLong ttl, OptionalLong age) {
    private static final String FIELD = "cache-status";

    /** Why a backend was asked. */
    public enum Forward {
        /** It was not. */
        NONE,
        /** Nothing was known, or not all of it was here. */
        MISS,
        /** What was known was too old. */
        STALE
    }

    private static final CacheStatus HIT_FOR_EVER = of(Forward.NONE, false, false);

    /** Everything was here, and is not asked for again. */
    public static CacheStatus hit() {
        return HIT_FOR_EVER;
    }

    /** Everything was here, and is asked for again in so many seconds. */
    public static CacheStatus hit(long ttl) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.of(ttl), OptionalLong.empty());
    }

    /** Everything was here and should have been asked for by now, which the backend did not answer. */
    public static CacheStatus stale(long ttl, long age) {
        return new CacheStatus(Forward.NONE, false, false, OptionalLong.of(ttl), OptionalLong.of(age));
    }

    /** What was known was asked for again. */
    public static CacheStatus asked(Forward why) {
        return of(why, false, true);
    }

    /** Another request went to the backend. */
    public static CacheStatus miss(boolean collapsed) {
        return of(Forward.MISS, collapsed, true);
    }

    /** The same of an answer that is not kept, such as an error. */
    public CacheStatus notStored() {
        return new CacheStatus(forwarded, collapsed, false, ttl, age);
    }

    /** A failure that tells a client how it came about. */
    public BackendException on(BackendException failure) {
        return failure.headers().first(FIELD).isPresent() ? failure : failure.withHeaders(on(failure.headers()));
    }

    /** The fields of an answer that tells a client how it came about. */
    public HeaderList on(HeaderList fields) {
        HeaderList told = fields.with(FIELD, text());
        return age.isPresent() ? told.with("age", Long.toString(age.getAsLong())) : told;
    }

    /** Whether these fields tell nothing but that. */
    public static boolean isAllOf(HeaderList fields) {
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
