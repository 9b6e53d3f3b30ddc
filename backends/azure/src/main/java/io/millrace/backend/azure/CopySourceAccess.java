package io.millrace.backend.azure;

import io.millrace.backend.spi.object.HeaderList;

/**
 * The URL and headers by which the service reads the source of a copy.
 *
 * @param url secret if it contains a SAS
 */
record CopySourceAccess(String url, HeaderList headers) {
    /** Hides the query, which may contain a signature. */
    @Override
    public String toString() {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }
}
