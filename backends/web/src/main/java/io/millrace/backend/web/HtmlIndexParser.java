package io.millrace.backend.web;

import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the entries of a folder in an index page: its links to what is directly below the folder. Every other link is
 * ignored, so that a page cannot name what lies elsewhere. Takes time in proportion to the page's length.
 *
 * <p>A page is an index only if it shows that it is one: by its title, a link to the folder above or to another order,
 * as nginx, Apache, lighttpd, Caddy, IIS and Python's server write; by links whose texts are the names themselves, as
 * all of these and Go's write; or by a list of nothing, as Go's. Any other is a page in the index's place, such as one
 * of an error with status 200: to take it for an index would hide all that is in the folder.
 *
 * <p>Sizes and times are those of nginx, in bytes and in UTC; the ones of other servers are rounded, or in a time zone
 * that the page does not say.
 */
final class HtmlIndexParser {
    /** The longest tag that is read: a name of 255 bytes takes up to six characters a byte. */
    private static final int MAX_TAG = 4096;

    private static final Pattern HREF =
            Pattern.compile("\\shref\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)')", Pattern.CASE_INSENSITIVE);
    private static final Pattern NGINX =
            Pattern.compile("[ \\t]*([0-9]{2}-[A-Z][a-z]{2}-[0-9]{4} [0-9]{2}:[0-9]{2})[ \\t]+([0-9]{1,18})[ \\t]*");
    private static final DateTimeFormatter NGINX_TIME =
            DateTimeFormatter.ofPattern("dd-MMM-yyyy HH:mm", Locale.ENGLISH);
    /** As much of a page as shows that it is an index, or one of nothing. */
    private static final int MAX_BEGINNING = 64 << 10;

    private static final Pattern INDEX = Pattern.compile(
            "<(?:title|h1)[^>]{0,200}>\\s{0,200}(?:index of|directory listing)\\b"
                    + "|\\shref\\s{0,9}=\\s{0,9}[\"']?(?:\\./)?\\.\\./?[\"'\\s>?]"
                    + "|\\shref\\s{0,9}=\\s{0,9}[\"']?\\?C=[NMSD][;&]"
                    + "|\\bparent directory\\b",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern LINK_END = Pattern.compile("</a[\\s>]", Pattern.CASE_INSENSITIVE);
    private static final Pattern TAG = Pattern.compile("<[^<>]{0,4096}>");
    private static final Pattern REFERENCE = Pattern.compile("&(amp|lt|gt|quot|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});");

    private final WebUrl folder;
    private final String page;
    private final List<ListingEntry> entries = new ArrayList<>();

    /** Set until a link to an entry has another text than its name. */
    private boolean showsNames = true;

    private HtmlIndexParser(WebUrl folder, String page) {
        this.folder = folder;
        this.page = page;
    }

    /**
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it is no index
     */
    static List<ListingEntry> parse(WebUrl folder, byte[] page) {
        HtmlIndexParser parser = new HtmlIndexParser(folder, new String(page, StandardCharsets.UTF_8));
        parser.readLinks();
        if (!parser.isIndex()) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "the page at %s is no index of a folder, but something in its place".formatted(folder.path()));
        }
        return parser.entries;
    }

    private boolean isIndex() {
        String beginning = page.substring(0, Math.min(page.length(), MAX_BEGINNING));
        return INDEX.matcher(beginning).find() || (entries.isEmpty() ? isListOfNothing(beginning) : showsNames);
    }

    private static boolean isListOfNothing(String beginning) {
        return beginning.toLowerCase(Locale.ROOT).contains("<pre>")
                && TAG.matcher(beginning).replaceAll("").isBlank();
    }

    private void readLinks() {
        int at = page.indexOf('<');
        while (at >= 0) {
            int end = page.indexOf('>', at);
            if (end < 0) {
                return;
            }
            if (end - at <= MAX_TAG && page.regionMatches(true, at, "<a", 0, 2)) {
                addLink(page.substring(at, end), end + 1);
            }
            at = page.indexOf('<', end);
        }
    }

    private void addLink(String tag, int textStart) {
        Matcher href = HREF.matcher(tag);
        if (href.find()) {
            String link = href.group(1) == null ? href.group(2) : href.group(1);
            name(unescaped(link)).ifPresent(name -> {
                entries.add(entry(name, afterLink(textStart)));
                showsNames = showsNames && withoutSlash(text(textStart)).equals(withoutSlash(name));
            });
        }
    }

    /** Returns the text of a link without the tags in it; empty if it has no end. */
    private String text(int start) {
        // In place: a page is mostly links, and a copy for each would be many times the page.
        Matcher end = LINK_END.matcher(page).region(start, Math.min(page.length(), start + MAX_TAG));
        String text = end.find() ? page.substring(start, end.start()) : "";
        return unescaped(TAG.matcher(text).replaceAll("")).strip();
    }

    private static String withoutSlash(String name) {
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }

    /** Returns the rest of the line after the end of the link. */
    private String afterLink(int textStart) {
        int lineEnd = page.indexOf('\n', textStart);
        String line = page.substring(textStart, Math.min(lineEnd < 0 ? page.length() : lineEnd, textStart + MAX_TAG));
        int close = line.indexOf("</a>");
        return close < 0 ? "" : line.substring(close + "</a>".length()).stripTrailing();
    }

    private static ListingEntry entry(String name, String details) {
        Matcher nginx = NGINX.matcher(details);
        if (name.endsWith("/") || !nginx.matches()) {
            return ListingEntry.of(name);
        }
        return new ListingEntry(name, OptionalLong.of(Long.parseLong(nginx.group(2))), time(nginx.group(1)));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(LocalDateTime.parse(text, NGINX_TIME).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Returns the name that a link gives something directly below the folder; empty for any other link. */
    private Optional<String> name(String link) {
        String path = link.startsWith("./") ? link.substring(2) : link;
        int fragment = path.indexOf('#');
        if (fragment >= 0) {
            path = path.substring(0, fragment);
        }
        String origin = folder.withPath("/").withoutQuery();
        if (path.startsWith(origin)) {
            path = path.substring(origin.length() - 1);
        }
        if (path.startsWith("/")) {
            if (!path.startsWith(folder.path())) {
                return Optional.empty();
            }
            path = path.substring(folder.path().length());
        }
        return path.indexOf('?') >= 0 || hasScheme(path) ? Optional.empty() : IndexEntryNameCheck.of(decoded(path));
    }

    private static boolean hasScheme(String path) {
        return path.matches("[A-Za-z][A-Za-z0-9+.-]*:.*");
    }

    /** Returns the percent-decoded text; empty if it is no valid UTF-8. */
    private static String decoded(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(encoded.length);
        for (int i = 0; i < encoded.length; i++) {
            int high = encoded[i] == '%' && i + 2 < encoded.length ? Character.digit(encoded[i + 1], 16) : -1;
            int low = high >= 0 ? Character.digit(encoded[i + 2], 16) : -1;
            if (low >= 0) {
                bytes.put((byte) (high << 4 | low));
                i += 2;
            } else {
                bytes.put(encoded[i]);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            return "";
        }
    }

    private static String unescaped(String text) {
        return REFERENCE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(character(found.group(1))));
    }

    private static String character(String name) {
        return switch (name) {
            case "amp" -> "&";
            case "lt" -> "<";
            case "gt" -> ">";
            case "quot" -> "\"";
            default -> numbered(name.substring(1));
        };
    }

    private static String numbered(String digits) {
        boolean isHex = digits.charAt(0) == 'x' || digits.charAt(0) == 'X';
        int codePoint = isHex ? Integer.parseInt(digits.substring(1), 16) : Integer.parseInt(digits);
        boolean isCharacter =
                Character.isValidCodePoint(codePoint) && Character.getType(codePoint) != Character.SURROGATE;
        // What is no character gives no valid name.
        return isCharacter ? Character.toString(codePoint) : "/";
    }
}
