package io.millrace.gateway.cli;

import java.util.List;
import picocli.CommandLine.Parameters;

/** A command that does the same with each of some jobs. One that fails does not keep it from the others. */
abstract class SteerCommand extends ClientCommand {
    @Parameters(index = "0", arity = "1..*", paramLabel = "ID", description = "The jobs.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private List<String> ids;

    SteerCommand(Surroundings around) {
        super(around);
    }

    /**
     * Does it with one job.
     *
     * @return the exit code
     */
    abstract int steer(Api api, String id);

    @Override
    final int run() {
        Api api = api();
        int code = ExitCode.DONE;
        for (String id : ids) {
            code = Math.max(code, ids.size() == 1 ? steer(api, id) : steerOneOf(api, id));
        }
        return code;
    }

    private int steerOneOf(Api api, String id) {
        try {
            return steer(api, id);
        } catch (CliException e) {
            if (e.exitCode() == ExitCode.UNREACHABLE) {
                throw e;
            }
            err().println("millrace: job %s: %s".formatted(PlainText.of(id), e.getMessage()));
            err().flush();
            return e.exitCode();
        }
    }

    /** Asks for something to be done with a job, as {@code pause}. */
    static JobSnapshot post(Api api, String id, String verb) {
        return new JobSnapshot(api.post("/jobs/" + Api.segment(id) + "/" + verb, null));
    }

    /** Prints that a job stops: its bytes do so at once, and the answers to what it has sent are awaited. */
    final int stopping(JobSnapshot job) {
        return job.isActive()
                ? print("job %s is %s: no more bytes are sent, and the last answers awaited"
                        .formatted(PlainText.of(job.id()), PlainText.of(job.state())))
                : told(job);
    }

    /** Prints the state of a job. */
    final int told(JobSnapshot job) {
        return print("job %s is %s".formatted(PlainText.of(job.id()), PlainText.of(job.state())));
    }

    final int print(String line) {
        out().println(line);
        out().flush();
        return ExitCode.DONE;
    }
}
