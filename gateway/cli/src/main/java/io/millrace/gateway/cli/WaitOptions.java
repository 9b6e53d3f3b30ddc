package io.millrace.gateway.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command-line options of commands that submit a job and may wait for its end. */
final class WaitOptions {
    @Option(
            names = "--wait",
            description = "Wait for the end of the job and show its progress. Ctrl-C leaves it running.")
    private boolean wait;

    @Mixin
    private final FollowOptions follow = new FollowOptions();

    /** Prints a submitted job, or shows it until it ends; returns the exit code. */
    int show(ControlApiClient api, JobSnapshot job, CommandEnvironment around, PrintWriter out, PrintWriter err) {
        if (wait) {
            return follow.follow(api, job, around, out, err);
        }
        out.println(follow.isJson() ? JsonCodec.write(job.json()) : text(job));
        out.flush();
        return ExitCode.DONE;
    }

    private static String text(JobSnapshot job) {
        return "job %1$s (%2$s) is %3$s. To follow it: millrace jobs watch %1$s"
                .formatted(job.id(), job.kind(), job.state());
    }
}
