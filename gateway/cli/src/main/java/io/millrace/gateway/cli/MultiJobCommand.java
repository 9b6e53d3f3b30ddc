package io.millrace.gateway.cli;

import java.util.List;
import picocli.CommandLine.Parameters;

/**
 * Base class of commands that do one action, such as cancel or pause, on each of several jobs. A failure for one job
 * does not stop the others.
 */
abstract class MultiJobCommand extends ClientCommand {
    @Parameters(index = "0", arity = "1..*", paramLabel = "ID", description = "Ids of the jobs.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private List<String> ids;

    MultiJobCommand(CommandEnvironment around) {
        super(around);
    }

    /**
     * Performs the action on one job.
     *
     * @return the exit code
     */
    abstract int apply(ControlApiClient api, String id);

    @Override
    protected final int run() {
        ControlApiClient api = api();
        int code = ExitCode.DONE;
        for (String id : ids) {
            code = Math.max(code, ids.size() == 1 ? apply(api, id) : applyAndContinue(api, id));
        }
        return code;
    }

    private int applyAndContinue(ControlApiClient api, String id) {
        try {
            return apply(api, id);
        } catch (CliException e) {
            if (e.exitCode() == ExitCode.UNREACHABLE) {
                throw e;
            }
            err().println("millrace: job %s: %s".formatted(TerminalEscaper.escape(id), e.getMessage()));
            err().flush();
            return e.exitCode();
        }
    }

    /** Requests an action on a job, as {@code pause}. */
    static JobSnapshot post(ControlApiClient api, String id, String verb) {
        return new JobSnapshot(api.post("/jobs/" + ControlApiClient.pathSegment(id) + "/" + verb, null));
    }

    /** Prints that a job is stopping; requests under way are ended or waited for, depending on its kind. */
    final int printStopping(JobSnapshot job) {
        return job.isActive()
                ? print("job %s is %s: it begins nothing new"
                        .formatted(TerminalEscaper.escape(job.id()), TerminalEscaper.escape(job.state())))
                : printState(job);
    }

    /** Prints the state of a job. */
    final int printState(JobSnapshot job) {
        return print("job %s is %s".formatted(TerminalEscaper.escape(job.id()), TerminalEscaper.escape(job.state())));
    }

    final int print(String line) {
        out().println(line);
        out().flush();
        return ExitCode.DONE;
    }
}
