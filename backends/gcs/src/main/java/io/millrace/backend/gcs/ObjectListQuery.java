package io.millrace.backend.gcs;

import io.millrace.backend.spi.object.BucketName;
import java.util.Optional;

/**
 * A request for a page of a listing.
 *
 * @param prefix may be empty
 * @param delimiter empty for no grouping
 * @param startOffset names before it, in the byte order of UTF-8, are left out; may be empty
 * @param maxResults upper bound of objects and prefixes, up to 1,000
 * @param token of the page before; empty for the first
 */
record ObjectListQuery(
        BucketName bucket,
        String prefix,
        String delimiter,
        String startOffset,
        int maxResults,
        Optional<String> token) {
    /** A request for all objects with a prefix. */
    static ObjectListQuery below(BucketName bucket, String prefix) {
        return new ObjectListQuery(bucket, prefix, "", "", 1000, Optional.empty());
    }

    /** Returns the query for the first page from another offset. */
    ObjectListQuery from(String offset) {
        return new ObjectListQuery(bucket, prefix, delimiter, offset, maxResults, Optional.empty());
    }

    /** Returns the query for the page with this token. */
    ObjectListQuery after(String next) {
        return new ObjectListQuery(bucket, prefix, delimiter, startOffset, maxResults, Optional.of(next));
    }
}
