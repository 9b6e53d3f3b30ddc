package io.millrace.backend.spi;

/** Bytes {@code first} to {@code last} of an object, both included, as an HTTP Range counts them. */
public record ByteRange(long first, long last) {
    /**
     * @throws IllegalArgumentException if the range is empty or begins before 0
     */
    public ByteRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException("not a range: %d-%d".formatted(first, last));
        }
    }

    /** Bytes in it. */
    public long length() {
        return Math.addExact(last - first, 1);
    }

    /** As a {@code Content-Range} header writes it. */
    public String contentRange(long size) {
        return "bytes %d-%d/%d".formatted(first, last, size);
    }
}
