package io.millrace.gateway.cli;

import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace health}: asks a server whether it lives, for the health checks of containers. */
@Command(
        name = "health",
        description = {
            "Ask the server whether it lives, as a health check does: without credentials, and trusting any"
                    + " certificate.",
            "The exit code is 0 if it says yes."
        })
final class HealthCommand extends ClientCommand {
    /** A page of the control port that says how the server is. */
    enum Page {
        LIVE,
        HEALTH,
        READY
    }

    @Option(
            names = "--probe",
            paramLabel = "PAGE",
            description =
                    "live: the process responds (the default). health: S3 is served. ready: it should get requests.")
    private Page page = Page.LIVE;

    HealthCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        String path = "/" + page.name().toLowerCase(Locale.ROOT);
        int status = status(path);
        if (status != 200) {
            throw CliException.failed("%s has the status %d".formatted(path, status));
        }
        out().println(path + " has the status 200");
        out().flush();
        return ExitCode.DONE;
    }

    private int status(String path) {
        try {
            return connection().probe(environment()).status(path);
        } catch (IOException e) {
            throw CliException.unreachable("%s has no response (%s). Name the control port with --endpoint-url or"
                            .formatted(path, ConnectionFailureText.of(e))
                    + " MILLRACE_ENDPOINT_URL; if it wants a client certificate, with --client-cert.");
        }
    }
}
