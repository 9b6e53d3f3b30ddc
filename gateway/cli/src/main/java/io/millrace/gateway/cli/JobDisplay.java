package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a job: as lines of JSON, as a bar in one terminal line that it redraws, or as lines of a log.
 * Callers call its methods from one thread at a time.
 */
final class JobDisplay {
    /** Returns to the first column and clears the line. */
    private static final String CLEAR_LINE = "\r\u001b[K";

    /** Interval of lines of a log: short enough to see progress, long enough for a log. */
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

    private final boolean json;
    private final OptionalInt columns;
    private final PrintWriter out;
    private final PrintWriter err;
    private @Nullable Instant lastLine;
    private String last = "";
    private String warning = "";

    /**
     * @param json whether to print a line of JSON whenever the job has changed
     * @param columns width of the terminal that {@code err} is; empty if no line can be redrawn
     */
    JobDisplay(boolean json, OptionalInt columns, PrintWriter out, PrintWriter err) {
        this.json = json;
        this.columns = json ? OptionalInt.empty() : columns;
        this.out = out;
        this.err = err;
    }

    /** Shows the current state of the job, which may not have changed. */
    void show(JobSnapshot job, Instant now) {
        if (!json
                && job.isActive()
                && !job.message().isEmpty()
                && !job.message().equals(warning)) {
            warning = job.message();
            showMessage("warning: " + TerminalEscaper.escape(warning));
        }
        if (json) {
            showJson(job);
        } else if (columns.isPresent()) {
            err.print(CLEAR_LINE + JobProgressText.bar(job, columns.getAsInt()));
            err.flush();
        } else if (job.isActive() && isDue(job, now)) {
            lastLine = now;
            last = job.state();
            err.println(JobProgressText.line(job));
            err.flush();
        }
    }

    /** A change of state is due at once. */
    private boolean isDue(JobSnapshot job, Instant now) {
        return lastLine == null || !now.isBefore(lastLine.plus(BETWEEN_LINES)) || !last.equals(job.state());
    }

    private void showJson(JobSnapshot job) {
        String line = JsonCodec.write(job.json());
        if (!line.equals(last)) {
            last = line;
            out.println(line);
            out.flush();
        }
    }

    /** Shows a message about something other than the state of the job. */
    void showMessage(String message) {
        clearLine();
        err.println(message);
        err.flush();
    }

    /** Shows how the job ended. */
    void showEnd(JobSnapshot job) {
        if (json) {
            showJson(job);
            return;
        }
        clearLine();
        out.println(JobProgressText.end(job));
        out.flush();
    }

    private void clearLine() {
        if (columns.isPresent()) {
            err.print(CLEAR_LINE);
            err.flush();
        }
    }
}
