package io.millrace.backend.spi.object;

/** A range of bytes of an object, {@code first} and {@code last} inclusive, counted from 0. */
public record ByteRange(long first, long last) {
    /**
     * @throws IllegalArgumentException if the range is empty or begins before 0
     */
    public ByteRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException("not a range: %d-%d".formatted(first, last));
        }
    }

    /** Returns the number of bytes in the range. */
    public long length() {
        return Math.addExact(last - first, 1);
    }

    /** Returns the value of a {@code Content-Range} header for an object of {@code size} bytes. */
    public String toContentRange(long size) {
        return "bytes %d-%d/%d".formatted(first, last, size);
    }
}
