package io.millrace.gateway.control.jobs;

import io.millrace.gateway.control.request.ApiException;

/** Validates the {@code limit} of list requests. */
final class PageSize {
    static final int MOST = 1000;

    private PageSize() {}

    /**
     * @throws ApiException (400) if {@code limit} is out of range
     */
    static int of(int limit) {
        if (limit < 1 || limit > MOST) {
            throw ApiException.invalidField("limit", "is 1 to " + MOST);
        }
        return limit;
    }
}
