package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that submits a job, and may wait for its end. */
abstract class SubmitCommand extends ClientCommand {
    @Mixin
    private final WorkOptions work = new WorkOptions();

    @Option(names = "--wait", description = "Wait for the end and show how it goes on. Ctrl-C leaves the job running.")
    private boolean wait;

    @Mixin
    private final FollowOptions follow = new FollowOptions();

    SubmitCommand(Surroundings around) {
        super(around);
    }

    /** The kind of the job. */
    abstract String kind();

    /** Puts into a request what this kind wants of it. */
    abstract void putInto(Map<String, Object> request);

    @Override
    final int run() {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("kind", kind());
        putInto(request);
        work.putInto(request);
        Api api = api();
        JobSnapshot job = new JobSnapshot(api.post("/jobs", request));
        if (wait) {
            return follow.follow(api, job, around(), out(), err());
        }
        out().println(follow.isJson() ? Json.write(job.json()) : told(job));
        out().flush();
        return ExitCode.DONE;
    }

    static String told(JobSnapshot job) {
        return "job %1$s (%2$s) is %3$s. To follow it: millrace jobs watch %1$s"
                .formatted(job.id(), job.kind(), job.state());
    }
}
