package io.millrace.gateway.control;

import org.springframework.http.HttpStatus;

/**
 * Thrown if a person does not get in. The message goes to the browser; it repeats nothing that came from there or from
 * the provider.
 */
final class SignInRefusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final HttpStatus status;

    SignInRefusal(HttpStatus status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    HttpStatus status() {
        return status;
    }
}
