package io.millrace.backend.spi;

import java.util.Optional;

/**
 * One range as a client asks for it, before the size of the object is known.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2">RFC 9110, 14.1.2</a>
 */
public sealed interface RangeSpec {
    /** {@code bytes=first-last}. */
    record Closed(long first, long last) implements RangeSpec {
        public Closed {
            new ByteRange(first, last);
        }
    }

    /** {@code bytes=first-}. */
    record From(long first) implements RangeSpec {
        public From {
            new ByteRange(first, first);
        }
    }

    /** {@code bytes=-length}: the last {@code length} bytes. Zero is a range that nothing satisfies. */
    record Suffix(long length) implements RangeSpec {
        public Suffix {
            if (length < 0) {
                throw new IllegalArgumentException("negative suffix: " + length);
            }
        }
    }

    /** The bytes this selects of an object of {@code size} bytes; empty if none (416). */
    default Optional<ByteRange> within(long size) {
        long first;
        long last = size - 1;
        if (this instanceof Closed closed) {
            first = closed.first();
            last = Math.min(closed.last(), last);
        } else if (this instanceof From from) {
            first = from.first();
        } else {
            long length = ((Suffix) this).length();
            first = length == 0 ? size : Math.max(0, size - length);
        }
        return first < size ? Optional.of(new ByteRange(first, last)) : Optional.empty();
    }

    /** As a {@code Range} header writes it. */
    default String header() {
        if (this instanceof Closed closed) {
            return "bytes=" + closed.first() + "-" + closed.last();
        }
        return this instanceof From from ? "bytes=" + from.first() + "-" : "bytes=-" + ((Suffix) this).length();
    }

    /**
     * Reads a {@code Range} header. Empty for everything S3 and RFC 9110 tell a server to ignore: another unit, several
     * ranges, bad syntax, {@code last} before {@code first}. A number beyond 2^63-1 counts as that.
     */
    static Optional<RangeSpec> parse(String header) {
        String text = header.strip();
        if (!text.regionMatches(true, 0, "bytes=", 0, 6)) {
            return Optional.empty();
        }
        String spec = text.substring(6);
        int dash = spec.indexOf('-');
        if (dash < 0) {
            return Optional.empty();
        }
        String first = spec.substring(0, dash);
        String last = spec.substring(dash + 1);
        if (!isDigits(first) || !isDigits(last) || (first.isEmpty() && last.isEmpty())) {
            return Optional.empty();
        }
        if (first.isEmpty()) {
            return Optional.of(new Suffix(number(last)));
        }
        if (last.isEmpty()) {
            return Optional.of(new From(number(first)));
        }
        return number(last) < number(first) ? Optional.empty() : Optional.of(new Closed(number(first), number(last)));
    }

    private static boolean isDigits(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static long number(String digits) {
        long value = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (value > (Long.MAX_VALUE - digit) / 10) {
                return Long.MAX_VALUE;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
