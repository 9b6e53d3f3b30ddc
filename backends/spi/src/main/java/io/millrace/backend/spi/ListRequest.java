package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketName;

/**
 * A request for one page of an object listing, in the byte order of UTF-8.
 *
 * @param prefix of the keys; may be empty
 * @param delimiter keys are grouped by the text up to its first occurrence after the prefix; empty for no grouping
 * @param start the start of the page
 * @param maxKeys upper bound for keys and common prefixes together, 0 to 1,000
 * @param withOwners whether entries should contain their owner
 */
public record ListRequest(
        BucketName bucket, String prefix, String delimiter, PageStart start, int maxKeys, boolean withOwners) {
    /** The largest page of S3. */
    public static final int MAX_KEYS = 1000;

    /** The position after which a page begins. */
    public sealed interface PageStart {
        /** Begins at the first key. */
        record FirstKey() implements PageStart {}

        /** Begins after this text ({@code start-after} of ListObjectsV2). */
        record StartAfter(String text) implements PageStart {}

        /**
         * Begins after this key or common prefix ({@code marker} of ListObjects); empty for the first key. A common
         * prefix that equals the marker, or that the marker lies in, is not listed again.
         */
        record Marker(String text) implements PageStart {}

        /** Begins where the page with this token ended. Opaque, and valid only for the same listing. */
        record ContinuationToken(String token) implements PageStart {}
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
