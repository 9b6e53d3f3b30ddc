package io.millrace.backend.http;

import java.net.InetAddress;
import java.util.Optional;

/**
 * A pattern of URLs that may be fetched: scheme, host, port and a prefix of the path. A host that begins with {@code
 * *.} stands for all its subdomains. Immutable.
 */
public final class AllowedUrlPattern {
    private static final String BELOW = "*.";

    private final String text;
    private final boolean below;
    private final WebUrl begin;
    private final String path;

    private AllowedUrlPattern(String text, boolean below, WebUrl begin) {
        this.text = text;
        this.below = below;
        this.begin = begin;
        this.path = begin.decodedPath();
    }

    /**
     * Parses an entry such as {@code https://*.example.com/sets/}.
     *
     * @throws IllegalArgumentException if the entry is invalid; the message names the error
     */
    public static AllowedUrlPattern parse(String text) {
        boolean below = text.contains("://" + BELOW);
        WebUrl begin = WebUrl.parse(below ? text.replaceFirst("://\\*\\.", "://") : text);
        if (begin.query().isPresent()) {
            throw new IllegalArgumentException("has a query: write scheme, host and path");
        }
        if (below && (begin.host().literal().isPresent() || begin.host().text().indexOf('.') < 0)) {
            throw new IllegalArgumentException("is too wide: write *. before a name of two labels at least");
        }
        return new AllowedUrlPattern(text, below, begin);
    }

    /** Returns whether the pattern contains this URL. */
    public boolean contains(WebUrl url) {
        return url.scheme() == begin.scheme() && url.port() == begin.port() && isOurs(url.host()) && isBelow(url);
    }

    private boolean isOurs(UrlHost host) {
        return below
                ? host.literal().isEmpty()
                        && host.text().endsWith("." + begin.host().text())
                : host.text().equals(begin.host().text())
                        || sameAddress(host, begin.host().literal());
    }

    /** Compares addresses rather than texts, because an IPv6 address has many spellings. */
    private static boolean sameAddress(UrlHost host, Optional<InetAddress> literal) {
        return literal.isPresent() && host.literal().equals(literal);
    }

    private boolean isBelow(WebUrl url) {
        if (url.hasEncodedSlash()) {
            return false;
        }
        String requested = url.decodedPath();
        return requested.equals(path) || requested.startsWith(path.endsWith("/") ? path : path + "/");
    }

    /** Returns the pattern as written. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AllowedUrlPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
