package io.millrace.gateway.cli;

/** Ends a command: what was wrong, what to do, and the code for the shell. An answer, so it has no stack trace. */
final class CliException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final boolean busy;

    private CliException(int exitCode, String message) {
        this(exitCode, message, false);
    }

    private CliException(int exitCode, String message, boolean busy) {
        super(message, null, false, false);
        this.exitCode = exitCode;
        this.busy = busy;
    }

    static CliException failed(String message) {
        return new CliException(ExitCode.FAILED, message);
    }

    /** The server does too much of it at the moment. */
    static CliException busy(String message) {
        return new CliException(ExitCode.FAILED, message, true);
    }

    static CliException usage(String message) {
        return new CliException(ExitCode.USAGE, message);
    }

    static CliException denied(String message) {
        return new CliException(ExitCode.DENIED, message);
    }

    static CliException unreachable(String message) {
        return new CliException(ExitCode.UNREACHABLE, message);
    }

    /** Whether the same may be answered a little later. */
    boolean isBusy() {
        return busy;
    }

    int exitCode() {
        return exitCode;
    }
}
