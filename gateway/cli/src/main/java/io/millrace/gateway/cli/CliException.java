package io.millrace.gateway.cli;

/** Ends a command with an error message and an exit code. An expected outcome, so it has no stack trace. */
public final class CliException extends RuntimeException {
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

    public static CliException failed(String message) {
        return new CliException(ExitCode.FAILED, message);
    }

    /** Returns the error for a request that the server refused because of its load. */
    static CliException busy(String message) {
        return new CliException(ExitCode.FAILED, message, true);
    }

    public static CliException usage(String message) {
        return new CliException(ExitCode.USAGE, message);
    }

    static CliException denied(String message) {
        return new CliException(ExitCode.DENIED, message);
    }

    public static CliException unreachable(String message) {
        return new CliException(ExitCode.UNREACHABLE, message);
    }

    /** Whether a retry a little later may succeed. */
    public boolean isBusy() {
        return busy;
    }

    public int exitCode() {
        return exitCode;
    }
}
