package io.millrace.backend.spi;

/**
 * One page of a listing, in the byte order of UTF-8.
 *
 * @param prefix what keys begin with; may be empty
 * @param delimiter keys are rolled up at its first occurrence behind the prefix; empty for none
 * @param from where the page begins
 * @param maxKeys keys and rolled-up prefixes together at most, 0 to 1,000
 * @param owners whether each entry should name its owner
 */
public record ListRequest(BucketName bucket, String prefix, String delimiter, From from, int maxKeys, boolean owners) {
    /** S3's largest page. */
    public static final int MAX_KEYS = 1000;

    /** Where a page begins. */
    public sealed interface From {
        /** At the first key. */
        record Beginning() implements From {}

        /** Behind this text, as version 2 of the operation says it ({@code start-after}). */
        record After(String text) implements From {}

        /**
         * Behind this key or rolled-up prefix, as version 1 says it ({@code marker}); empty for the first key. A rolled-up prefix that equals the
         * marker, or in which the marker lies at its end, is behind it already and does not come again.
         */
        record Marker(String text) implements From {}

        /** Where the page that gave this token ended. Opaque, and only good for the same listing. */
        record Token(String token) implements From {}
    }

    /**
     * @throws IllegalArgumentException if {@code maxKeys} is out of range
     */
    public ListRequest {
        if (maxKeys < 0 || maxKeys > MAX_KEYS) {
            throw new IllegalArgumentException("max-keys is 0 to 1000, not " + maxKeys);
        }
    }
}
