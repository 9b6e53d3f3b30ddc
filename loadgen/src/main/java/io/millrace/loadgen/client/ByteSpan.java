package io.millrace.loadgen.client;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Byte range of an object, from {@code from} inclusive to {@code end} exclusive.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#name-range-requests">RFC 9110, range requests</a>
 */
public record ByteSpan(long from, long end) {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /**
     * Returns the span of a Range header: the whole object if the header is absent or not understood, empty if the
     * range is not satisfiable.
     */
    public static Optional<ByteSpan> of(@Nullable String header, long size) {
        Matcher range = header == null ? null : RANGE.matcher(header);
        if (range == null
                || !range.matches()
                || (range.group(1).isEmpty() && range.group(2).isEmpty())) {
            return Optional.of(new ByteSpan(0, size));
        }
        ByteSpan span = range.group(1).isEmpty()
                ? new ByteSpan(Math.max(0, size - Long.parseLong(range.group(2))), size)
                : new ByteSpan(Long.parseLong(range.group(1)), end(range.group(2), size));
        return span.from < span.end ? Optional.of(span) : Optional.empty();
    }

    /** Returns a span that is all of an object of {@code size} bytes. */
    public static ByteSpan whole(long size) {
        return new ByteSpan(0, size);
    }

    private static long end(String last, long size) {
        return last.isEmpty() ? size : Math.min(size, Long.parseLong(last) + 1);
    }

    /** Returns the part of the span that lies in an object of {@code size} bytes. */
    public ByteSpan cutTo(long size) {
        return new ByteSpan(Math.min(from, size), Math.min(end, size));
    }

    /** Returns the number of bytes. */
    public long length() {
        return end - from;
    }

    /** Returns the span as the value of a Range header. */
    public String rangeHeader() {
        return "bytes=%d-%d".formatted(from, end - 1);
    }
}
