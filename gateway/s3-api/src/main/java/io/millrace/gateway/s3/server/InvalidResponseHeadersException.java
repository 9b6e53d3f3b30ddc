package io.millrace.gateway.s3.server;

/** Signals that a response has headers that HTTP cannot carry. Nothing was sent yet, so an error response can be. */
final class InvalidResponseHeadersException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidResponseHeadersException(IllegalArgumentException cause) {
        super("a header field cannot be sent: " + cause.getMessage(), cause);
    }
}
