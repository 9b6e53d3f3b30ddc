package io.millrace.gateway.cli;

/** The exit codes of client commands. */
final class ExitCode {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int DENIED = 3;
    static final int UNREACHABLE = 4;

    private ExitCode() {}
}
