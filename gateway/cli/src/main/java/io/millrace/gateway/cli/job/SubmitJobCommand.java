package io.millrace.gateway.cli.job;

import io.millrace.gateway.cli.client.ClientCommand;
import io.millrace.gateway.cli.client.CommandEnvironment;
import io.millrace.gateway.cli.client.ControlApiClient;
import io.millrace.gateway.cli.client.ExitCode;
import io.millrace.gateway.cli.client.JobSnapshot;
import io.millrace.gateway.cli.text.JsonCodec;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Base class of commands that submit a job and may wait for its end. */
abstract class SubmitJobCommand extends ClientCommand {
    @Mixin
    private final JobExecutionOptions work = new JobExecutionOptions();

    @Option(
            names = "--wait",
            description = "Wait for the end of the job and show its progress. Ctrl-C leaves it running.")
    private boolean wait;

    @Mixin
    private final FollowOptions follow = new FollowOptions();

    SubmitJobCommand(CommandEnvironment around) {
        super(around);
    }

    /** Returns the kind of the job. */
    abstract String kind();

    /** Adds the fields of this kind of job to a request. */
    abstract void putInto(Map<String, Object> request);

    @Override
    protected final int run() {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("kind", kind());
        putInto(request);
        work.putInto(request);
        ControlApiClient api = api();
        JobSnapshot job = new JobSnapshot(api.post("/jobs", request));
        if (wait) {
            return follow.follow(api, job, environment(), out(), err());
        }
        out().println(follow.isJson() ? JsonCodec.write(job.json()) : submittedText(job));
        out().flush();
        return ExitCode.DONE;
    }

    static String submittedText(JobSnapshot job) {
        return "job %1$s (%2$s) is %3$s. To follow it: millrace jobs watch %1$s"
                .formatted(job.id(), job.kind(), job.state());
    }
}
