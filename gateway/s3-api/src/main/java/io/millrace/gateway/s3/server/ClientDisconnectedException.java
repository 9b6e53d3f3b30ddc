package io.millrace.gateway.s3.server;

/**
 * Signals that the client closed the connection before its response was complete. Without a stack trace, because it is
 * no fault.
 */
final class ClientDisconnectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClientDisconnectedException() {
        super("the client closed the connection", null, false, false);
    }
}
