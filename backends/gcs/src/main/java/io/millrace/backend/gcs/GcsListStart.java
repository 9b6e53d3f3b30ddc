package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * The place among a bucket's keys and common prefixes at which a page of a listing begins.
 *
 * @param after the text after which the page begins
 * @param excludedPrefix a common prefix that is not listed again, with all below it
 * @param enteredPrefix a common prefix that the start lies in; it is listed if it has keys after the start
 * @param byMarker whether the next page begins by a marker too
 */
record GcsListStart(String after, Optional<String> excludedPrefix, Optional<String> enteredPrefix, boolean byMarker) {
    /** First character of a decoded token: the last result was a key or a common prefix. */
    private static final String KEY = "k";

    private static final String PREFIX = "p";
    private static final int BEFORE_SURROGATES = 0xD7FF;
    private static final int AFTER_SURROGATES = 0xE000;

    /**
     * @throws BackendException of kind {@link FailureKind#INVALID_REQUEST} if the request has a token of another
     *     listing
     */
    static GcsListStart of(ListRequest request) {
        if (request.start() instanceof PageStart.StartAfter start) {
            return new GcsListStart(start.text(), Optional.empty(), commonPrefix(request, start.text()), false);
        }
        if (request.start() instanceof PageStart.Marker marker) {
            return new GcsListStart(marker.text(), commonPrefix(request, marker.text()), Optional.empty(), true);
        }
        if (request.start() instanceof PageStart.ContinuationToken token) {
            String text = decoded(token);
            String last = text.substring(1);
            Optional<String> prefix = text.startsWith(PREFIX) ? Optional.of(last) : Optional.empty();
            return new GcsListStart(last, prefix, Optional.empty(), false);
        }
        return new GcsListStart("", Optional.empty(), Optional.empty(), false);
    }

    /**
     * Returns the offset to ask for. It includes {@link #after}, and skips an excluded prefix. An entered prefix is
     * asked for from its beginning, because servers need not list a prefix whose keys are only partly in the page.
     */
    String startOffset() {
        return excludedPrefix
                .flatMap(GcsListStart::afterAllWith)
                .or(() -> enteredPrefix)
                .orElse(after);
    }

    boolean includes(String key) {
        return (after.isEmpty() || ObjectKey.UTF8_ORDER.compare(key, after) > 0)
                && excludedPrefix.filter(key::startsWith).isEmpty();
    }

    /** Returns whether a common prefix may be listed: it comes after the start, or is the entered one. */
    boolean includesPrefix(String prefix) {
        boolean isAfter = after.isEmpty() || ObjectKey.UTF8_ORDER.compare(prefix, after) > 0;
        return excludedPrefix.filter(prefix::startsWith).isEmpty()
                && (isAfter || enteredPrefix.filter(prefix::equals).isPresent());
    }

    /** Returns the start of the page after {@code last}. */
    PageStart nextStart(String last, boolean isPrefix) {
        if (byMarker) {
            return new PageStart.Marker(last);
        }
        byte[] text = ((isPrefix ? PREFIX : KEY) + last).getBytes(StandardCharsets.UTF_8);
        return new PageStart.ContinuationToken(
                Base64.getUrlEncoder().withoutPadding().encodeToString(text));
    }

    /**
     * Returns the first text, in the byte order of UTF-8, after all that begin with {@code prefix}; empty if there is
     * none.
     */
    static Optional<String> afterAllWith(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                int next = last == BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
                return Optional.of(prefix.substring(0, end) + Character.toString(next));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> commonPrefix(ListRequest request, String text) {
        String delimiter = request.delimiter();
        boolean isIn = !delimiter.isEmpty() && text.startsWith(request.prefix());
        int at = isIn ? text.indexOf(delimiter, request.prefix().length()) : -1;
        return at < 0 ? Optional.empty() : Optional.of(text.substring(0, at + delimiter.length()));
    }

    private static String decoded(PageStart.ContinuationToken token) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(token.token()), StandardCharsets.UTF_8);
            if (text.startsWith(KEY) || text.startsWith(PREFIX)) {
                return text;
            }
        } catch (IllegalArgumentException e) {
            // No token either.
        }
        throw new BackendException(
                FailureKind.INVALID_REQUEST, "not a continuation token of this listing: " + token.token());
    }
}
