package io.millrace.gateway.server;

/** The client closed the connection before its answer was whole. Nobody's fault, so it has no stack trace. */
final class ClientLeftException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClientLeftException() {
        super("the client closed the connection", null, false, false);
    }
}
