package io.millrace.gateway.freshness;

/**
 * How an answer came about, as {@code Cache-Status} tells it.
 *
 * @param forwarded why the backend was asked; {@link Forward#NONE} for a hit
 * @param collapsed whether another request's answer was waited for
 * @param stored whether what the backend sent is kept
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9211">RFC 9211</a>
 */
public record CacheStatus(Forward forwarded, boolean collapsed, boolean stored) {
    /** Field name. */
    public static final String FIELD = "cache-status";

    /** Everything was here. */
    public static final CacheStatus HIT = new CacheStatus(Forward.NONE, false, false);

    /** The cache was not asked. */
    public static final CacheStatus BYPASS = new CacheStatus(Forward.BYPASS, false, false);

    /** Why a backend was asked. */
    public enum Forward {
        /** It was not. */
        NONE,
        /** Nothing was known, or not all of it was here. */
        MISS,
        /** What was known was too old. */
        STALE,
        /** The cache cannot serve this. */
        BYPASS
    }

    /** Another request went to the backend. */
    static CacheStatus miss(boolean collapsed) {
        return new CacheStatus(Forward.MISS, collapsed, true);
    }

    /** The field's value. */
    public String text() {
        return switch (forwarded) {
            case NONE -> "millrace; hit";
            case MISS -> "millrace; fwd=miss" + (collapsed ? "; collapsed" : "") + (stored ? "; stored" : "");
            case STALE -> "millrace; fwd=stale" + (collapsed ? "; collapsed" : "") + (stored ? "; stored" : "");
            case BYPASS -> "millrace; fwd=bypass";
        };
    }
}
