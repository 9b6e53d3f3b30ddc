package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;

/** Base class of commands that submit a job and may wait for its end. */
abstract class SubmitJobCommand extends ClientCommand {
    private final String kind;

    @Mixin
    private final JobLimitOptions work = new JobLimitOptions();

    @Mixin
    private final WaitOptions waiting = new WaitOptions();

    /** @param kind that of the job */
    SubmitJobCommand(String kind, CommandEnvironment around) {
        super(around);
        this.kind = kind;
    }

    /** Adds the fields of this kind of job to a request. */
    abstract void putInto(Map<String, Object> request);

    @Override
    protected final int run() {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("kind", kind);
        putInto(request);
        work.putInto(request);
        ControlApiClient api = api();
        return waiting.show(api, new JobSnapshot(api.post("/jobs", request)), environment(), out(), err());
    }
}
