package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Instant;

/** One line that is drawn over, on a terminal. */
final class BarDisplay implements Display {
    /** To the first column, and erase what is behind. */
    private static final String ANEW = "\r\u001b[K";

    private final PrintWriter terminal;
    private final PrintWriter out;
    private final int columns;

    BarDisplay(PrintWriter terminal, PrintWriter out, int columns) {
        this.terminal = terminal;
        this.out = out;
        this.columns = columns;
    }

    @Override
    public void show(JobSnapshot job, Instant now) {
        terminal.print(ANEW + ProgressText.bar(job, columns));
        terminal.flush();
    }

    @Override
    public void say(String message) {
        terminal.print(ANEW);
        terminal.println(message);
        terminal.flush();
    }

    @Override
    public void end(JobSnapshot job) {
        terminal.print(ANEW);
        terminal.flush();
        out.println(ProgressText.end(job));
        out.flush();
    }
}
