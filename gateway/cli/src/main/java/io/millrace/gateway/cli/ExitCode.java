package io.millrace.gateway.cli;

/** The exit codes of client commands. */
public final class ExitCode {
    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    static final int DENIED = 3;
    public static final int UNREACHABLE = 4;

    private ExitCode() {}
}
