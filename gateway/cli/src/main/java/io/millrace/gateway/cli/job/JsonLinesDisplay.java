package io.millrace.gateway.cli.job;

import io.millrace.gateway.cli.client.JobSnapshot;
import io.millrace.gateway.cli.text.JsonCodec;
import java.io.PrintWriter;
import java.time.Instant;

/** Prints the job as a line of JSON whenever it has changed; the last line is its final state. */
final class JsonLinesDisplay implements JobDisplay {
    private final PrintWriter out;
    private final PrintWriter err;
    private String last = "";

    JsonLinesDisplay(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public void show(JobSnapshot job, Instant now) {
        String line = JsonCodec.write(job.json());
        if (!line.equals(last)) {
            last = line;
            out.println(line);
            out.flush();
        }
    }

    @Override
    public void showMessage(String message) {
        err.println(message);
        err.flush();
    }

    @Override
    public void showEnd(JobSnapshot job) {
        show(job, Instant.MIN);
    }
}
