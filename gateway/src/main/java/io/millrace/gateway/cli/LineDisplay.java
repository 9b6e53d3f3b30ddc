package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A line now and then, for logs. */
final class LineDisplay implements Display {
    private final PrintWriter progress;
    private final PrintWriter out;
    private final Duration between;
    private @Nullable Instant last;
    private String state = "";

    /**
     * @param between two lines, unless the state has changed
     */
    LineDisplay(PrintWriter progress, PrintWriter out, Duration between) {
        this.progress = progress;
        this.out = out;
        this.between = between;
    }

    @Override
    public void show(JobSnapshot job, Instant now) {
        boolean due = last == null || !now.isBefore(last.plus(between)) || !state.equals(job.state());
        if (due && job.isActive()) {
            last = now;
            state = job.state();
            progress.println(ProgressText.line(job));
            progress.flush();
        }
    }

    @Override
    public void say(String message) {
        progress.println(message);
        progress.flush();
    }

    @Override
    public void end(JobSnapshot job) {
        out.println(ProgressText.end(job));
        out.flush();
    }
}
