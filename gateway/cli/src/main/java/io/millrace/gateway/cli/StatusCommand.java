package io.millrace.gateway.cli;

import io.millrace.gateway.cli.client.ClientCommand;
import io.millrace.gateway.cli.client.CommandEnvironment;
import io.millrace.gateway.cli.client.ExitCode;
import io.millrace.gateway.cli.text.JsonCodec;
import io.millrace.gateway.cli.text.JsonObject;
import io.millrace.gateway.cli.text.JsonOutline;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace status}: shows the status of the server. */
@Command(name = "status", description = "Show the version, backends, buckets and cache of the server.")
final class StatusCommand extends ClientCommand {
    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    StatusCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        JsonObject status = withHealth(api().get("/status", Map.of()), api().get("/backends", Map.of()));
        out().println(json ? JsonCodec.write(status) : JsonOutline.text(status));
        out().flush();
        return ExitCode.DONE;
    }

    /** Adds the health of backends, which the status leaves out because checking it may take seconds. */
    private static JsonObject withHealth(JsonObject status, JsonObject backends) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(status.fields());
        fields.put("backends", backends.fields().get("backends"));
        return new JsonObject(fields);
    }
}
