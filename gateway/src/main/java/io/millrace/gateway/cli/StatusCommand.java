package io.millrace.gateway.cli;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The gateway as it is. */
@Command(name = "status", description = "Version, backends and cache of the server.")
final class StatusCommand extends ClientCommand {
    @Option(names = "--json", description = "As a line of JSON.")
    private boolean json;

    StatusCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        JsonObject status = api().get("/status", Map.of());
        out().println(json ? Json.write(status) : Outline.text(status));
        out().flush();
        return ExitCode.DONE;
    }
}
