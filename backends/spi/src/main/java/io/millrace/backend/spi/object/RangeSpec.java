package io.millrace.backend.spi.object;

import java.util.Optional;

/**
 * A range of a {@code Range} header, before the size of the object is known.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2">RFC 9110, 14.1.2</a>
 */
public sealed interface RangeSpec {
    /** {@code bytes=first-last}. */
    record Bounded(long first, long last) implements RangeSpec {
        public Bounded {
            new ByteRange(first, last);
        }
    }

    /** {@code bytes=first-}. */
    record OpenEnded(long first) implements RangeSpec {
        public OpenEnded {
            new ByteRange(first, first);
        }
    }

    /** {@code bytes=-length}: the last {@code length} bytes. Zero is never satisfiable. */
    record Suffix(long length) implements RangeSpec {
        public Suffix {
            if (length < 0) {
                throw new IllegalArgumentException("negative suffix: " + length);
            }
        }
    }

    /**
     * Returns the bytes that this range selects of an object of {@code size} bytes; empty if it is not satisfiable
     * (416).
     */
    default Optional<ByteRange> resolve(long size) {
        long first;
        long last = size - 1;
        if (this instanceof Bounded closed) {
            first = closed.first();
            last = Math.min(closed.last(), last);
        } else if (this instanceof OpenEnded from) {
            first = from.first();
        } else {
            long length = ((Suffix) this).length();
            first = length == 0 ? size : Math.max(0, size - length);
        }
        return first < size ? Optional.of(new ByteRange(first, last)) : Optional.empty();
    }

    /** Returns the value of a {@code Range} header. */
    default String toHeader() {
        if (this instanceof Bounded closed) {
            return "bytes=" + closed.first() + "-" + closed.last();
        }
        return this instanceof OpenEnded from ? "bytes=" + from.first() + "-" : "bytes=-" + ((Suffix) this).length();
    }

    /**
     * Parses a {@code Range} header. Empty for everything that S3 and RFC 9110 tell a server to ignore: another unit,
     * several ranges, bad syntax, {@code last} before {@code first}. A number above 2^63-1 counts as 2^63-1.
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
            return Optional.of(new OpenEnded(number(first)));
        }
        return number(last) < number(first) ? Optional.empty() : Optional.of(new Bounded(number(first), number(last)));
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
