package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** The command-line options for following a job until it ends. */
final class FollowOptions {
    @Option(names = "--json", description = "Print the job as one line of JSON whenever it changes.")
    private boolean json;

    boolean isJson() {
        return json;
    }

    /** Shows a job until it ends and returns the exit code. */
    int follow(ControlApiClient api, JobSnapshot job, CommandEnvironment around, PrintWriter out, PrintWriter err) {
        JobDisplay display =
                new JobDisplay(json, around.canRedraw() ? around.columns() : OptionalInt.empty(), out, err);
        JobFollower watch = new JobFollower(api, display, JobFollower.PollTiming.DEFAULT, InstantSource.system());
        JobSnapshot ended = watch.follow(job);
        String hint = hint(ended);
        if (!json && !hint.isEmpty()) {
            out.println(hint);
            out.flush();
        }
        return ended.isDone() && !ended.isCachedInPart() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static String hint(JobSnapshot job) {
        if (job.hasEmptySelection()) {
            return "Submit it again with a selection that matches objects";
        }
        if (job.state().equals("failed")) {
            return "To continue when the cause is gone: millrace jobs resume " + job.id();
        }
        if (job.state().equals("paused")) {
            return "To continue: millrace jobs resume " + job.id();
        }
        return job.failed() > 0
                ? "To see the failures: millrace jobs failures %1$s%nTo retry them: millrace jobs retry %1$s"
                        .formatted(job.id())
                : "";
    }
}
