package io.millrace.gateway.server;

/** An answer's head holds what HTTP cannot carry. Nothing of it was sent, so another answer can be. */
final class UnsendableHeadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsendableHeadException(IllegalArgumentException cause) {
        super("a header field cannot be sent: " + cause.getMessage(), cause);
    }
}
