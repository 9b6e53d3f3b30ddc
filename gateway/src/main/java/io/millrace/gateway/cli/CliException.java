package io.millrace.gateway.cli;

/** Ends a command: what was wrong, what to do, and the code for the shell. An answer, so it has no stack trace. */
final class CliException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CliException(int exitCode, String message) {
        super(message, null, false, false);
        this.exitCode = exitCode;
    }

    static CliException failed(String message) {
        return new CliException(ExitCode.FAILED, message);
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

    int exitCode() {
        return exitCode;
    }
}
