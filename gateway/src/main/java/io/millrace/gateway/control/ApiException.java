package io.millrace.gateway.control;

import io.millrace.auth.AuthException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/** A request that cannot be answered as its caller wants; it is an answer itself, so it has no stack trace. */
final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final transient HttpHeaders headers = new HttpHeaders();

    private ApiException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    static ApiException of(HttpStatus status, String detail) {
        return new ApiException(Problem.of(status, detail));
    }

    /** A field or a parameter of the request is wrong. */
    static ApiException field(String field, String detail) {
        return new ApiException(Problem.of(HttpStatus.BAD_REQUEST, detail).at(field));
    }

    /** Nothing tells who asks. */
    static ApiException anonymous() {
        return challenge(
                Problem.of(
                        HttpStatus.UNAUTHORIZED,
                        "Sign the request as one to S3 (AWS4-HMAC-SHA256, service s3), or send a bearer token."),
                "Bearer");
    }

    /** What tells who asks is not right. */
    static ApiException refused(AuthException refused, boolean token) {
        if (!token && refused.code().status() == HttpStatus.BAD_REQUEST.value()) {
            return new ApiException(Problem.of(HttpStatus.BAD_REQUEST, text(refused)));
        }
        return challenge(
                Problem.of(HttpStatus.UNAUTHORIZED, text(refused)),
                token ? "Bearer error=\"invalid_token\"" : "Bearer");
    }

    Problem problem() {
        return problem;
    }

    HttpHeaders headers() {
        return headers;
    }

    private static ApiException challenge(Problem problem, String challenge) {
        ApiException refusal = new ApiException(problem);
        refusal.headers.set(HttpHeaders.WWW_AUTHENTICATE, challenge);
        return refusal;
    }

    private static String text(AuthException refused) {
        return "%s: %s".formatted(refused.code().text(), refused.getMessage());
    }
}
