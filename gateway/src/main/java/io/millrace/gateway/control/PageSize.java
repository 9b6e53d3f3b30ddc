package io.millrace.gateway.control;

/** How much of a list an answer has. */
final class PageSize {
    static final int MOST = 1000;

    private PageSize() {}

    /**
     * @throws ApiException if {@code limit} is none
     */
    static int of(int limit) {
        if (limit < 1 || limit > MOST) {
            throw ApiException.field("limit", "is 1 to " + MOST);
        }
        return limit;
    }
}
