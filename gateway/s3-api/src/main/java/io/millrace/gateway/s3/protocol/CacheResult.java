package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.object.HeaderList;
import java.util.Locale;
import java.util.Optional;

/** What the cache was for an answer, as its {@code Cache-Status} tells it. */
public enum CacheResult {
    /** All of it was here. */
    HIT,
    /** The backend was asked for it. */
    MISS,
    /** Another request had asked the backend for it. */
    COLLAPSED,
    /** What was here was too old: the backend was asked whether it is still so, or could not be asked. */
    STALE,
    /** It went past the cache. */
    BYPASS;

    private static final String FIELD = "cache-status";
    private static final String PAST = "millrace; fwd=bypass";

    /** What an answer tells; none if it tells nothing, since it was given before a cache or a backend came into play. */
    public static Optional<CacheResult> of(S3Response answer) {
        return answer.headers().first(FIELD).map(CacheResult::read);
    }

    /** An answer that says it went past the cache, if it says nothing of that yet. */
    public static S3Response told(S3Response answer) {
        HeaderList headers = answer.headers();
        return headers.first(FIELD).isPresent()
                ? answer
                : new S3Response(answer.status(), headers.with(FIELD, PAST), answer.body());
    }

    /** As meters tell it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static CacheResult read(String text) {
        if (text.contains("; hit")) {
            return text.contains("ttl=-") ? STALE : HIT;
        }
        if (text.contains("fwd=stale")) {
            return STALE;
        }
        if (text.contains("fwd=miss")) {
            return text.contains("collapsed") ? COLLAPSED : MISS;
        }
        return BYPASS;
    }
}
