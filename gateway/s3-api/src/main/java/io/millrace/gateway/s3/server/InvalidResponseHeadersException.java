package io.millrace.gateway.s3.server;

/** An answer's head holds what HTTP cannot carry. Nothing of it was sent, so another answer can be. */
final class InvalidResponseHeadersException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidResponseHeadersException(IllegalArgumentException cause) {
        super("a header field cannot be sent: " + cause.getMessage(), cause);
    }
}
