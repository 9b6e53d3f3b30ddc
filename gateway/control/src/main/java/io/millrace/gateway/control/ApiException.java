package io.millrace.gateway.control;

import io.millrace.auth.RequestVerificationException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * The failure of a control API request, with the problem document of the response (RFC 9457). An expected outcome, so
 * it has no stack trace.
 */
final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ApiProblem problem;
    private final transient HttpHeaders headers = new HttpHeaders();

    private ApiException(ApiProblem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    static ApiException of(HttpStatus status, String detail) {
        return new ApiException(ApiProblem.of(status, detail));
    }

    /** Returns the error (400) for a wrong field or parameter of the request. */
    static ApiException invalidField(String field, String detail) {
        return new ApiException(ApiProblem.of(HttpStatus.BAD_REQUEST, detail).at(field));
    }

    /** Returns the error (401) for a request without credentials. */
    static ApiException unauthenticated() {
        return challenge(
                ApiProblem.of(
                        HttpStatus.UNAUTHORIZED,
                        "Sign the request as one to S3 (AWS4-HMAC-SHA256, service s3), or send a bearer token."),
                "Bearer");
    }

    /** Returns the error (400 or 401) for credentials that failed verification. */
    static ApiException authenticationFailed(RequestVerificationException refused, boolean token) {
        if (!token && refused.code().status() == HttpStatus.BAD_REQUEST.value()) {
            return new ApiException(ApiProblem.of(HttpStatus.BAD_REQUEST, text(refused)));
        }
        return challenge(
                ApiProblem.of(HttpStatus.UNAUTHORIZED, text(refused)),
                token ? "Bearer error=\"invalid_token\"" : "Bearer");
    }

    ApiProblem problem() {
        return problem;
    }

    HttpHeaders headers() {
        return headers;
    }

    private static ApiException challenge(ApiProblem problem, String challenge) {
        ApiException refusal = new ApiException(problem);
        refusal.headers.set(HttpHeaders.WWW_AUTHENTICATE, challenge);
        return refusal;
    }

    private static String text(RequestVerificationException refused) {
        return "%s: %s".formatted(refused.code().text(), refused.getMessage());
    }
}
