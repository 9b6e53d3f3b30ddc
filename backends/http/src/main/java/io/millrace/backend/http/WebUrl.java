package io.millrace.backend.http;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL, parsed once, so that the gateway connects to exactly what it checked. Refuses URLs that two parsers
 * could understand differently: names in other letters, odd numbers, dot segments, encoded slashes, userinfo.
 * Immutable.
 *
 * @param path as written, percent-encoded; begins with a slash
 * @param query without its question mark; empty if there is none
 */
public record WebUrl(Scheme scheme, UrlHost host, int port, String path, Optional<String> query) {
    private static final int LONGEST = 8192;

    /** Scheme, authority, path and query. */
    private static final Pattern URL = Pattern.compile("(?i)(https?)://([^/?]*)([^?]*)(?:\\?(.*))?");

    private static final Pattern AUTHORITY = Pattern.compile("(\\[[^\\[\\]]*]|[^:\\[\\]]*)(?::([1-9][0-9]{0,4}))?");

    /** The characters of RFC 3986, without those that end a path or a query. */
    private static final Pattern LETTERS = Pattern.compile("[A-Za-z0-9\\-._~!$&'()*+,;=:@%/?]*");

    /** The schemes. */
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
     * Parses a URL.
     *
     * @throws IllegalArgumentException if the URL is invalid or ambiguous; the message names the error
     */
    public static WebUrl parse(String text) {
        WebUrl url = parseWithSlashes(text);
        UrlPathDecoder.decoded(url.path);
        return url;
    }

    private static WebUrl parseWithSlashes(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("a URL has at most " + LONGEST + " characters");
        }
        Matcher parts = URL.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("is not a URL: write http:// or https://, a host and a path");
        }
        Scheme scheme = Scheme.valueOf(parts.group(1).toUpperCase(Locale.ROOT));
        Matcher authority = AUTHORITY.matcher(parts.group(2));
        if (!authority.matches()) {
            throw new IllegalArgumentException(
                    "has an odd host: write a name or an address, and :PORT behind it if need be; no user, no "
                            + "password");
        }
        String port = authority.group(2);
        String path = parts.group(3).isEmpty() ? "/" : parts.group(3);
        if (path.startsWith("//")) {
            throw new IllegalArgumentException("has an empty first segment in its path");
        }
        UrlPathDecoder.decodedWithSlashes(path);
        Optional<String> query = Optional.ofNullable(parts.group(4));
        requireLetters(path + query.orElse(""));
        return new WebUrl(
                scheme, UrlHost.parse(authority.group(1)), port == null ? scheme.port : portOf(port), path, query);
    }

    /**
     * Resolves the {@code Location} of a redirect. A server may use encoded slashes in paths of its own, which only it
     * has to understand; what leads to others is refused with them.
     *
     * @throws IllegalArgumentException if the result is no valid URL
     */
    public WebUrl resolve(String location) {
        String target = location.replaceFirst("#.*$", "");
        if (target.startsWith(origin() + "/")) {
            return parseWithSlashes(target);
        }
        if (target.matches("(?i)[a-z][a-z0-9+.-]*:.*")) {
            return parse(target);
        }
        if (target.startsWith("//")) {
            return parse(scheme.text() + ":" + target);
        }
        if (target.startsWith("/")) {
            return parseWithSlashes(origin() + target);
        }
        return parseWithSlashes(
                origin() + (target.startsWith("?") ? path : path.substring(0, path.lastIndexOf('/') + 1)) + target);
    }

    /**
     * Returns the URL of another path of this server, without a query.
     *
     * @param encoded percent-encoded; begins with a slash; not checked
     */
    public WebUrl withPath(String encoded) {
        return new WebUrl(scheme, host, port, encoded, Optional.empty());
    }

    /** Returns whether its path has an encoded slash, so that it has no {@link #decodedPath}. */
    boolean hasEncodedSlash() {
        return UrlPathDecoder.hasEncodedSlash(path);
    }

    /** Returns the decoded path. */
    public String decodedPath() {
        return UrlPathDecoder.decoded(path);
    }

    /** Returns the URL without its query, which may hold a signature; for messages and stored metadata. */
    public String withoutQuery() {
        return origin() + path;
    }

    /** Returns the URL as written. */
    @Override
    public String toString() {
        return withoutQuery() + query.map(text -> "?" + text).orElse("");
    }

    /** Returns the request target. */
    public String target() {
        return path + query.map(text -> "?" + text).orElse("");
    }

    /** Returns the value of the {@code Host} header. */
    public String authority() {
        return port == scheme.port ? host.text() : host.text() + ":" + port;
    }

    /** Returns the address to connect to, unresolved for a name. */
    public InetSocketAddress address() {
        return host.literal()
                .map(address -> new InetSocketAddress(address, port))
                .orElseGet(() -> InetSocketAddress.createUnresolved(host.text(), port));
    }

    /** Returns whether its connections use TLS. */
    public boolean isSecure() {
        return scheme == Scheme.HTTPS;
    }

    private String origin() {
        return scheme.text() + "://" + authority();
    }

    private static int portOf(String digits) {
        int port = Integer.parseInt(digits);
        if (port > 65_535) {
            throw new IllegalArgumentException("has an invalid port: " + port);
        }
        return port;
    }

    private static void requireLetters(String text) {
        if (!LETTERS.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "has a character that URLs do not allow: write it as %XX, in " + StandardCharsets.UTF_8);
        }
    }
}
