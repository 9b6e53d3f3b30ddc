package io.millrace.gateway.cli;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace errors}: lists the last requests that failed, with their ids. */
@Command(name = "errors", description = "List the last requests that failed, the newest first, with their ids.")
final class ErrorsCommand extends ClientCommand {
    private static final String NOTHING = "-";

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    ErrorsCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        JsonObject found = api().get("/errors", Map.of());
        if (json) {
            out().println(JsonCodec.write(found));
        } else if (found.objects("errors").isEmpty()) {
            out().println("no request has failed since the start");
        } else {
            found.objects("errors").forEach(error -> out().println(line(error)));
        }
        out().flush();
        return ExitCode.DONE;
    }

    private static String line(JsonObject error) {
        String status = error.number("status") == 0 ? "none" : error.text("status");
        String object =
                error.text("bucket").isEmpty() ? NOTHING : "s3://" + error.text("bucket") + "/" + error.text("key");
        return TerminalEscaper.escape("%s  %s %s  %s  id %s  %s from %s  %s%s%s"
                .formatted(
                        HumanReadable.time(error.text("at")),
                        status,
                        error.text("code").isEmpty() ? error.text("outcome") : error.text("code"),
                        error.text("operation"),
                        error.text("requestId"),
                        error.text("identity").isEmpty() ? NOTHING : error.text("identity"),
                        error.text("peer"),
                        object,
                        error.text("message").isEmpty() ? "" : ": " + error.text("message"),
                        error.text("reason").isEmpty() ? "" : " (" + error.text("reason") + ")"));
    }
}
