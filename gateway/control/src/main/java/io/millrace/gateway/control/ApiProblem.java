package io.millrace.gateway.control;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * The body of an error response of the API (RFC 9457).
 *
 * @param title the status in words
 * @param detail what is wrong, and what to do
 * @param field the wrong field of the request, as {@code from.regex}; null if the error concerns no field
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457, Problem Details</a>
 */
record ApiProblem(
        String title, int status, String detail, @Nullable String field) {
    static ApiProblem of(HttpStatus status, String detail) {
        return new ApiProblem(status.getReasonPhrase(), status.value(), detail, null);
    }

    /** Returns a copy that concerns the field {@code wrong}. */
    ApiProblem at(String wrong) {
        return new ApiProblem(title, status, detail, wrong);
    }
}
