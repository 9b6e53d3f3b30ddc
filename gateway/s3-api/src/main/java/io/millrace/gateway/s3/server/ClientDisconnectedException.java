package io.millrace.gateway.s3.server;

/** The client closed the connection before its answer was whole. Nobody's fault, so it has no stack trace. */
final class ClientDisconnectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClientDisconnectedException() {
        super("the client closed the connection", null, false, false);
    }
}
