package io.millrace.auth.post;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many bytes a form's file may have, both included. No number at all, if {@code least} is more than {@code most}.
 *
 * @param least bytes at least
 * @param most bytes at most
 */
public record ContentLengthRange(long least, long most) {
    /** Any number. */
    public static final ContentLengthRange ANY = new ContentLengthRange(0, Long.MAX_VALUE);

    /**
     * Refuses a file of this length if it may not have it. Where the length is known only by the bytes that come, {@code most}
     * is asked as they do.
     */
    public void require(long length) throws AuthException {
        if (length > most) {
            throw new AuthException(
                    Code.ENTITY_TOO_LARGE,
                    "Your proposed upload exceeds the maximum allowed object size.",
                    details(length, "MaxSizeAllowed", most));
        }
        if (length < least) {
            throw new AuthException(
                    Code.ENTITY_TOO_SMALL,
                    "Your proposed upload is smaller than the minimum allowed size",
                    details(length, "MinSizeAllowed", least));
        }
    }

    /** What is in both. */
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
