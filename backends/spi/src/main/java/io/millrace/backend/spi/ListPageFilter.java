package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Decides which keys and common prefixes belong on one page of an object listing, by its prefix, delimiter and start.
 */
public final class ListPageFilter {
    /** First character of a decoded token: the last result was a key or a common prefix. */
    private static final String KEY = "k";

    private static final String PREFIX = "p";

    private final ListRequest request;
    private String after = "";
    private Optional<String> excludedPrefix = Optional.empty();

    /**
     * @throws BackendException of kind {@link FailureKind#INVALID_REQUEST} if the request has a token that this listing
     *     did not make
     */
    public ListPageFilter(ListRequest request) {
        this.request = request;
        if (request.start() instanceof PageStart.StartAfter start) {
            after = start.text();
        } else if (request.start() instanceof PageStart.Marker marker) {
            after = marker.text();
            excludedPrefix = commonPrefix(after).filter(after::equals);
        } else if (request.start() instanceof PageStart.ContinuationToken token) {
            String text = decoded(token);
            after = text.substring(1);
            excludedPrefix = Optional.of(after).filter(prefix -> text.startsWith(PREFIX));
        }
    }

    /** Returns whether the page may show a key that begins with {@code text}. */
    public boolean mayContain(String text) {
        boolean inPrefix = text.startsWith(request.prefix()) || request.prefix().startsWith(text);
        return inPrefix && !isExcluded(text) && (isAfterStart(text) || after.startsWith(text));
    }

    /** Returns whether the page may show this key or its common prefix. */
    public boolean includes(String key) {
        return key.startsWith(request.prefix()) && !isExcluded(key) && isAfterStart(key);
    }

    /** Returns the common prefix of all keys that begin with {@code text}; empty if that depends on what follows. */
    public Optional<String> commonPrefix(String text) {
        String delimiter = request.delimiter();
        int at = delimiter.isEmpty()
                ? -1
                : text.indexOf(delimiter, request.prefix().length());
        return at < 0 ? Optional.empty() : Optional.of(text.substring(0, at + delimiter.length()));
    }

    /** Returns the text after which the page starts; empty if it starts with the first key. */
    public String after() {
        return after;
    }

    /** Returns whether the page starts in the middle of the keys that begin with {@code text}. */
    public boolean startsInside(String text) {
        return after.startsWith(text) && !after.equals(text);
    }

    /** Excludes all keys with this common prefix from now on. */
    public void excludePrefix(String prefix) {
        excludedPrefix = Optional.of(prefix);
    }

    /** Returns the start of the page after {@code last}. */
    public PageStart nextStart(String last, boolean isPrefix) {
        if (request.start() instanceof PageStart.Marker) {
            return new PageStart.Marker(last);
        }
        byte[] text = ((isPrefix ? PREFIX : KEY) + last).getBytes(StandardCharsets.UTF_8);
        return new PageStart.ContinuationToken(
                Base64.getUrlEncoder().withoutPadding().encodeToString(text));
    }

    private boolean isExcluded(String text) {
        return excludedPrefix.isPresent() && text.startsWith(excludedPrefix.get());
    }

    private boolean isAfterStart(String text) {
        return after.isEmpty() || ObjectKey.UTF8_ORDER.compare(text, after) > 0;
    }

    private static String decoded(PageStart.ContinuationToken token) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(token.token()), StandardCharsets.UTF_8);
            if (text.startsWith(KEY) || text.startsWith(PREFIX)) {
                return text;
            }
            throw new IllegalArgumentException("neither key nor prefix");
        } catch (IllegalArgumentException e) {
            throw new BackendException(
                    FailureKind.INVALID_REQUEST, "not a continuation token of this listing: " + token.token(), e);
        }
    }
}
