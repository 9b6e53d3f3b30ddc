package io.millrace.backend.spi.object;

/**
 * An entity tag: the opaque part without its quotes, and whether it is weak. S3's tags are strong.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3">RFC 9110, 8.8.3</a>
 */
public record ETag(String opaque, boolean weak) {
    /** Returns a strong tag. */
    public static ETag strong(String opaque) {
        return new ETag(opaque, false);
    }

    /** Parses a tag as servers and clients write it: quoted, {@code W/"…"}, or bare, which S3 clients also send. */
    public static ETag parse(String text) {
        String trimmed = text.strip();
        boolean weak = trimmed.startsWith("W/");
        String quoted = weak ? trimmed.substring(2) : trimmed;
        boolean hasQuotes = quoted.length() >= 2 && quoted.startsWith("\"") && quoted.endsWith("\"");
        return new ETag(hasQuotes ? quoted.substring(1, quoted.length() - 1) : quoted, weak);
    }

    /** Returns whether both tags are strong and equal (RFC 9110, 8.8.3.2). */
    public boolean matchesStrongly(ETag other) {
        return !weak && !other.weak && opaque.equals(other.opaque);
    }

    /** Returns whether the tags are equal, weak or not. */
    public boolean matchesWeakly(ETag other) {
        return opaque.equals(other.opaque);
    }

    /** Returns the tag as a header contains it. */
    @Override
    public String toString() {
        return (weak ? "W/\"" : "\"") + opaque + '"';
    }
}
