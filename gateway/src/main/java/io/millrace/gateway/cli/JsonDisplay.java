package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Instant;

/** The job as a line of JSON, whenever it has changed; the last line is how it ended. */
final class JsonDisplay implements Display {
    private final PrintWriter out;
    private final PrintWriter err;
    private String last = "";

    JsonDisplay(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public void show(JobSnapshot job, Instant now) {
        String line = Json.write(job.json());
        if (!line.equals(last)) {
            last = line;
            out.println(line);
            out.flush();
        }
    }

    @Override
    public void say(String message) {
        err.println(message);
        err.flush();
    }

    @Override
    public void end(JobSnapshot job) {
        show(job, Instant.MIN);
    }
}
