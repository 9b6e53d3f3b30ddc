package io.millrace.gateway.control;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Why a request was not answered as its caller wants.
 *
 * @param title the status in words
 * @param detail what is wrong here, and what would help
 * @param field of the request that is wrong, as {@code from.regex}; null if none is
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457, Problem Details</a>
 */
record Problem(
        String title, int status, String detail, @Nullable String field) {
    static Problem of(HttpStatus status, String detail) {
        return new Problem(status.getReasonPhrase(), status.value(), detail, null);
    }

    /** The same of a field. */
    Problem at(String wrong) {
        return new Problem(title, status, detail, wrong);
    }
}
