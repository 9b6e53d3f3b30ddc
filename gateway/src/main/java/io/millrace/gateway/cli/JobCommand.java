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
}
