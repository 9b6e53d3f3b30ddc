package io.millrace.backend.s3;

import io.millrace.backend.spi.ObjectKey;

/**
 * Marker and page size of a list, in a form that every server takes. A marker that does not begin with the prefix of the list
 * selects all keys of that prefix or none. Some servers answer it with NotImplemented (MinIO), so it is never sent.
 *
 * @param marker empty for none
 * @param maxEntries 0 if nothing can follow the marker
 */
record ListStart(String marker, int maxEntries) {
    static ListStart of(String prefix, String marker, int maxEntries) {
        if (marker.startsWith(prefix)) {
            return new ListStart(marker, maxEntries);
        }
        boolean isBefore = ObjectKey.UTF8_ORDER.compare(marker, prefix) < 0;
        return new ListStart("", isBefore ? maxEntries : 0);
    }

    /** The second half of a marker, which means nothing without the first. */
    String with(String idMarker) {
        return marker.isEmpty() ? "" : idMarker;
    }
}
