package io.millrace.gateway.jobs.fetch;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL, read once: nobody behind this reads its text again, so that what was checked is what is connected to. What two readers could
 * take for two things (names in other letters or numbers, dot segments, encoded slashes, userinfo) is no URL here. Immutable.
 *
 * @param path as it was written, percent-encoded; begins with a slash
 * @param query without its question mark; empty if there is none
 */
public record WebUrl(Scheme scheme, WebHost host, int port, String path, Optional<String> query) {
    private static final int LONGEST = 8192;

    /** Scheme, authority, path and query. */
    private static final Pattern URL = Pattern.compile("(?i)(https?)://([^/?]*)([^?]*)(?:\\?(.*))?");

    private static final Pattern AUTHORITY = Pattern.compile("(\\[[^\\[\\]]*]|[^:\\[\\]]*)(?::([1-9][0-9]{0,4}))?");

    /** Of RFC 3986, without what ends a path or a query. */
    private static final Pattern LETTERS = Pattern.compile("[A-Za-z0-9\\-._~!$&'()*+,;=:@%/?]*");

    /** The ways to ask. */
    public enum Scheme {
        HTTP(80),
        HTTPS(443);

        private final int port;

        Scheme(int port) {
            this.port = port;
        }

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException if it is none, or could be read in two ways; the message says what is wrong
     */
    public static WebUrl parse(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("a URL has at most " + LONGEST + " characters");
        }
        Matcher parts = URL.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("is no URL: write http:// or https://, a host and a path");
        }
        Scheme scheme = Scheme.valueOf(parts.group(1).toUpperCase(Locale.ROOT));
        Matcher authority = AUTHORITY.matcher(parts.group(2));
        if (!authority.matches()) {
            throw new IllegalArgumentException(
                    "has an odd host: write a name or an address, and :PORT behind it if need be; no user, no password");
        }
        String port = authority.group(2);
        String path = parts.group(3).isEmpty() ? "/" : parts.group(3);
        if (path.startsWith("//")) {
            throw new IllegalArgumentException("has an empty name where its path begins");
        }
        UrlPath.decoded(path);
        Optional<String> query = Optional.ofNullable(parts.group(4));
        requireLetters(path + query.orElse(""));
        return new WebUrl(
                scheme, WebHost.parse(authority.group(1)), port == null ? scheme.port : portOf(port), path, query);
    }

    /**
     * Where an answer leads, as its {@code Location} says it.
     *
     * @throws IllegalArgumentException if that is no URL
     */
    public WebUrl resolve(String location) {
        String target = location.replaceFirst("#.*$", "");
        if (target.matches("(?i)[a-z][a-z0-9+.-]*:.*")) {
            return parse(target);
        }
        if (target.startsWith("//")) {
            return parse(scheme.text() + ":" + target);
        }
        if (target.startsWith("/")) {
            return parse(origin() + target);
        }
        return parse(
                origin() + (target.startsWith("?") ? path : path.substring(0, path.lastIndexOf('/') + 1)) + target);
    }

    /** The path as its server understands it. */
    public String decodedPath() {
        return UrlPath.decoded(path);
    }

    /** The same without its query, which may hold a signature: for messages, and to be kept. */
    public String withoutQuery() {
        return origin() + path;
    }

    /** As it is written. */
    @Override
    public String toString() {
        return withoutQuery() + query.map(text -> "?" + text).orElse("");
    }

    /** What a request asks its server for. */
    String target() {
        return path + query.map(text -> "?" + text).orElse("");
    }

    /** The field {@code Host}. */
    String authority() {
        return port == scheme.port ? host.text() : host.text() + ":" + port;
    }

    /** What is connected to, when it has been looked up and checked. */
    InetSocketAddress address() {
        return host.literal()
                .map(address -> new InetSocketAddress(address, port))
                .orElseGet(() -> InetSocketAddress.createUnresolved(host.text(), port));
    }

    boolean isSecure() {
        return scheme == Scheme.HTTPS;
    }

    private String origin() {
        return scheme.text() + "://" + authority();
    }

    private static int portOf(String digits) {
        int port = Integer.parseInt(digits);
        if (port > 65_535) {
            throw new IllegalArgumentException("has no port: " + port);
        }
        return port;
    }

    private static void requireLetters(String text) {
        if (!LETTERS.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "has a character that is none of a URL's: write others as %XX, of their " + StandardCharsets.UTF_8);
        }
    }
}
