package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import picocli.CommandLine.Option;

/** How a job is shown. */
final class FollowOptions {
    /** Often enough to see that it goes on, seldom enough for a log. */
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

    @Option(names = "--json", description = "The job as JSON, a line whenever it changes.")
    private boolean json;

    boolean isJson() {
        return json;
    }

    /** The exit code at the end of a job, which is shown until then. */
    int follow(Api api, JobSnapshot job, Surroundings around, PrintWriter out, PrintWriter err) {
        JobWatch watch = new JobWatch(api, display(around, out, err), JobWatch.Patience.USUAL, InstantSource.system());
        JobSnapshot ended = watch.follow(job);
        String hint = hint(ended);
        if (!json && !hint.isEmpty()) {
            out.println(hint);
            out.flush();
        }
        return ended.isDone() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private Display display(Surroundings around, PrintWriter out, PrintWriter err) {
        if (json) {
            return new JsonDisplay(out, err);
        }
        return around.canRedraw()
                ? new BarDisplay(err, out, around.columns().orElseThrow())
                : new LineDisplay(err, out, BETWEEN_LINES);
    }

    private static String hint(JobSnapshot job) {
        if (job.hasSelectedNothing()) {
            return "Submit it anew with a selection that names objects";
        }
        if (job.state().equals("paused") || job.state().equals("failed")) {
            return "To go on: millrace jobs resume " + job.id();
        }
        return job.failed() > 0
                ? "What failed, and why: millrace jobs failures %1$s%nTo try that again: millrace jobs retry %1$s"
                        .formatted(job.id())
                : "";
    }
}
