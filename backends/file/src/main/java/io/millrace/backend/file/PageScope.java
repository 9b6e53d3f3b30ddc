package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.From;
import io.millrace.backend.spi.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Which keys a page may still show, decided from their text alone. */
final class PageScope {
    /** What a token begins with, before it is encoded: whether the last thing shown was a key or a rolled-up prefix. */
    private static final String KEY = "k";

    private static final String PREFIX = "p";

    private final ListRequest request;
    private String after = "";
    private Optional<String> covered = Optional.empty();

    /**
     * @throws BackendException of kind {@link Kind#INVALID_REQUEST} if the request has a token that is none of ours
     */
    PageScope(ListRequest request) {
        this.request = request;
        if (request.from() instanceof From.After start) {
            after = start.text();
        } else if (request.from() instanceof From.Marker marker) {
            after = marker.text();
            covered = rolledUp(after).filter(after::equals);
        } else if (request.from() instanceof From.Token token) {
            String text = decoded(token);
            after = text.substring(1);
            covered = Optional.of(after).filter(prefix -> text.startsWith(PREFIX));
        }
    }

    /** Whether some key that begins with {@code text} may be wanted. */
    boolean mayHold(String text) {
        boolean inPrefix = text.startsWith(request.prefix()) || request.prefix().startsWith(text);
        return inPrefix && !isCovered(text) && (isBehind(text) || after.startsWith(text));
    }

    boolean wants(String key) {
        return key.startsWith(request.prefix()) && !isCovered(key) && isBehind(key);
    }

    /** What all keys that begin with {@code text} are rolled up to; empty if that depends on what follows. */
    Optional<String> rolledUp(String text) {
        String delimiter = request.delimiter();
        int at = delimiter.isEmpty()
                ? -1
                : text.indexOf(delimiter, request.prefix().length());
        return at < 0 ? Optional.empty() : Optional.of(text.substring(0, at + delimiter.length()));
    }

    /** From now on, nothing that begins with this rolled-up prefix is wanted. */
    void cover(String prefix) {
        covered = Optional.of(prefix);
    }

    /** Where the next page begins. */
    From behind(String last, boolean isPrefix) {
        if (request.from() instanceof From.Marker) {
            return new From.Marker(last);
        }
        byte[] text = ((isPrefix ? PREFIX : KEY) + last).getBytes(StandardCharsets.UTF_8);
        return new From.Token(Base64.getUrlEncoder().withoutPadding().encodeToString(text));
    }

    private boolean isCovered(String text) {
        return covered.isPresent() && text.startsWith(covered.get());
    }

    private boolean isBehind(String text) {
        return after.isEmpty() || ObjectKey.UTF8_ORDER.compare(text, after) > 0;
    }

    private static String decoded(From.Token token) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(token.token()), StandardCharsets.UTF_8);
            if (text.startsWith(KEY) || text.startsWith(PREFIX)) {
                return text;
            }
            throw new IllegalArgumentException("neither key nor prefix");
        } catch (IllegalArgumentException e) {
            throw new BackendException(Kind.INVALID_REQUEST, "not a token of this listing: " + token.token(), e);
        }
    }
}
