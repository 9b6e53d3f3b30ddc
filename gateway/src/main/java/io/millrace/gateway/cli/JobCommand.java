package io.millrace.gateway.cli;

import picocli.CommandLine.Parameters;

/** A command about one job. */
abstract class JobCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "The job.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String id;

    JobCommand(Surroundings around) {
        super(around);
    }

    final String id() {
        return id;
    }

    /** Asks for something to be done with the job, as {@code pause}. */
    final JobSnapshot steer(String verb) {
        return new JobSnapshot(api().post("/jobs/" + Api.segment(id) + "/" + verb, null));
    }

    /** Prints that the job stops: the requests under way end first. */
    final int stopping(JobSnapshot job) {
        if (!job.isActive()) {
            return told(job);
        }
        out().println("job %s is %s: its last requests end first"
                .formatted(PlainText.of(job.id()), PlainText.of(job.state())));
        out().flush();
        return ExitCode.DONE;
    }

    /** Prints one line of the job. */
    final int told(JobSnapshot job) {
        out().println("job %s is %s".formatted(PlainText.of(job.id()), PlainText.of(job.state())));
        out().flush();
        return ExitCode.DONE;
    }
}
