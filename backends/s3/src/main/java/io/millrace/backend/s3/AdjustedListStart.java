package io.millrace.backend.s3;

import io.millrace.backend.spi.object.ObjectKey;

/**
 * The marker and page size to send in a list request, adjusted so that every S3 server accepts them. A marker that does
 * not begin with the listing's prefix selects all keys of that prefix or none. Some servers refuse it with
 * NotImplemented (MinIO), so it is never sent.
 *
 * @param marker empty for none
 * @param maxEntries 0 if nothing can follow the marker
 */
record AdjustedListStart(String marker, int maxEntries) {
    static AdjustedListStart of(String prefix, String marker, int maxEntries) {
        if (marker.startsWith(prefix)) {
            return new AdjustedListStart(marker, maxEntries);
        }
        boolean isBefore = ObjectKey.UTF8_ORDER.compare(marker, prefix) < 0;
        return new AdjustedListStart("", isBefore ? maxEntries : 0);
    }

    /**
     * Adds to a request what a list of every kind has.
     *
     * @param limit the parameter that has the size of the page
     */
    UnsignedRequest addTo(UnsignedRequest request, String limit, String prefix, String delimiter) {
        return request.withParameter("encoding-type", "url")
                .withParameter(limit, String.valueOf(maxEntries))
                .withNonEmptyParameter("prefix", prefix)
                .withNonEmptyParameter("delimiter", delimiter);
    }

    /** Returns the second half of a marker; empty if there is no first half. */
    String with(String idMarker) {
        return marker.isEmpty() ? "" : idMarker;
    }
}
