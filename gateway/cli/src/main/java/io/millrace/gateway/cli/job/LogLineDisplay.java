package io.millrace.gateway.cli.job;

import io.millrace.gateway.cli.client.JobSnapshot;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Prints progress lines at an interval, for logs. */
final class LogLineDisplay implements JobDisplay {
    private final PrintWriter progress;
    private final PrintWriter out;
    private final Duration interval;
    private @Nullable Instant last;
    private String state = "";

    /**
     * @param between interval of lines; a change of state prints one at once
     */
    LogLineDisplay(PrintWriter progress, PrintWriter out, Duration between) {
        this.progress = progress;
        this.out = out;
        this.interval = between;
    }

    @Override
    public void show(JobSnapshot job, Instant now) {
        boolean due = last == null || !now.isBefore(last.plus(interval)) || !state.equals(job.state());
        if (due && job.isActive()) {
            last = now;
            state = job.state();
            progress.println(ProgressText.line(job));
            progress.flush();
        }
    }

    @Override
    public void showMessage(String message) {
        progress.println(message);
        progress.flush();
    }

    @Override
    public void showEnd(JobSnapshot job) {
        out.println(ProgressText.end(job));
        out.flush();
    }
}
