package io.millrace.gateway.cli.job;

import io.millrace.gateway.cli.client.JobSnapshot;
import java.io.PrintWriter;
import java.time.Instant;

/** Shows the progress of a job as a bar in one terminal line that it redraws. */
final class ProgressBarDisplay implements JobDisplay {
    /** Returns to the first column and clears the line. */
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintWriter terminal;
    private final PrintWriter out;
    private final int columns;

    ProgressBarDisplay(PrintWriter terminal, PrintWriter out, int columns) {
        this.terminal = terminal;
        this.out = out;
        this.columns = columns;
    }

    @Override
    public void show(JobSnapshot job, Instant now) {
        terminal.print(CLEAR_LINE + ProgressText.bar(job, columns));
        terminal.flush();
    }

    @Override
    public void showMessage(String message) {
        terminal.print(CLEAR_LINE);
        terminal.println(message);
        terminal.flush();
    }

    @Override
    public void showEnd(JobSnapshot job) {
        terminal.print(CLEAR_LINE);
        terminal.flush();
        out.println(ProgressText.end(job));
        out.flush();
    }
}
