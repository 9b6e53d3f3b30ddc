package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.object.HeaderList;
import java.util.Locale;
import java.util.Optional;

/** The result of the cache for a request, as the response's {@code Cache-Status} header states it (RFC 9211). */
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

    private static final String FIELD = "cache-status";
    private static final String PAST = "millrace; fwd=bypass";

    /** Returns the result that a response states; empty if it was made before a cache or a backend was involved. */
    public static Optional<CacheResult> of(S3Response answer) {
        return answer.headers().first(FIELD).map(CacheResult::read);
    }

    /** Returns the response with a result: {@link #BYPASS} if it states none yet. */
    public static S3Response told(S3Response answer) {
        HeaderList headers = answer.headers();
        return headers.first(FIELD).isPresent()
                ? answer
                : new S3Response(answer.status(), headers.with(FIELD, PAST), answer.body());
    }

    /** Returns the name in meters. */
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
