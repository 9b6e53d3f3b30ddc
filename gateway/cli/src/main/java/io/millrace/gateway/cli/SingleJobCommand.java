package io.millrace.gateway.cli;

import picocli.CommandLine.Parameters;

/** Base class of commands about one job. */
abstract class SingleJobCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "Id of the job.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String id;

    SingleJobCommand(CommandEnvironment around) {
        super(around);
    }

    final String id() {
        return id;
    }
}
