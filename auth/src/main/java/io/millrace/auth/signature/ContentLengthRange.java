package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Inclusive range of lengths, in bytes, that a POST policy allows for the uploaded file. It is empty if {@code least}
 * is above {@code most}.
 *
 * @param least smallest length in bytes
 * @param most greatest length in bytes
 */
public record ContentLengthRange(long least, long most) {
    /** Range of all lengths. */
    public static final ContentLengthRange ANY = new ContentLengthRange(0, Long.MAX_VALUE);

    /**
     * Requires that {@code length} is in the range. A caller that learns the length only from the bytes compares them
     * with {@code most} as they arrive.
     */
    public void require(long length) throws RequestVerificationException {
        if (length > most) {
            throw new RequestVerificationException(
                    Code.ENTITY_TOO_LARGE,
                    "Your proposed upload exceeds the maximum allowed object size.",
                    details(length, "MaxSizeAllowed", most));
        }
        if (length < least) {
            throw new RequestVerificationException(
                    Code.ENTITY_TOO_SMALL,
                    "Your proposed upload is smaller than the minimum allowed size",
                    details(length, "MinSizeAllowed", least));
        }
    }

    /** Returns the intersection of both ranges. */
    ContentLengthRange and(ContentLengthRange other) {
        return new ContentLengthRange(Math.max(least, other.least), Math.min(most, other.most));
    }

    private static Map<String, String> details(long length, String limitName, long limit) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("ProposedSize", Long.toString(length));
        details.put(limitName, Long.toString(limit));
        return details;
    }
}
