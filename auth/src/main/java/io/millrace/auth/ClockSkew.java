package io.millrace.auth;

import io.millrace.auth.RequestVerificationException.Code;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limit on the difference between a client's clock and the server's.
 *
 * @param allowed greatest difference in either direction, inclusive; from 1 second to 1 day
 */
public record ClockSkew(Duration allowed) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    public ClockSkew {
        if (!isPossible(allowed)) {
            throw new IllegalArgumentException("clock-skew must be from 1s to 1d");
        }
    }

    /** Returns whether {@code allowed} is from 1 second to 1 day. */
    static boolean isPossible(Duration allowed) {
        return allowed.compareTo(SHORTEST) >= 0 && allowed.compareTo(LONGEST) <= 0;
    }

    /** Requires that {@code signedAt} differs from {@code now} by at most the allowed skew. */
    public void require(Instant signedAt, Instant now) throws RequestVerificationException {
        if (Duration.between(signedAt, now).abs().compareTo(allowed) > 0) {
            Map<String, String> details = new LinkedHashMap<>();
            details.put("RequestTime", signedAt.toString());
            details.put("ServerTime", now.toString());
            details.put("MaxAllowedSkewMilliseconds", Long.toString(allowed.toMillis()));
            throw new RequestVerificationException(
                    Code.REQUEST_TIME_TOO_SKEWED,
                    "The request's time and ours are too far apart. Check the client's clock.",
                    details);
        }
    }

    /** Returns whether {@code signedAt} is ahead of {@code now} by more than the allowed skew. */
    public boolean isAhead(Instant signedAt, Instant now) {
        return signedAt.isAfter(now.plus(allowed));
    }
}
