package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace status}: shows the status of the server. */
@Command(name = "status", description = "Show the alarms, cache, hits, disks, backends and buckets of the server.")
final class StatusCommand extends ClientCommand {
    @Option(names = "--json", description = "Print one line of JSON, with all fields.")
    private boolean json;

    StatusCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        JsonObject status = together(
                api().get("/status", Map.of()), api().get("/backends", Map.of()), api().get("/alarms", Map.of()));
        out().println(json ? JsonCodec.write(status) : StatusText.of(status));
        out().flush();
        return ExitCode.DONE;
    }

    /**
     * Adds the health of backends, which the status leaves out because checking it may take seconds, and all alarms.
     */
    private static JsonObject together(JsonObject status, JsonObject backends, JsonObject alarms) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(status.fields());
        fields.put("backends", backends.fields().get("backends"));
        fields.put("well", alarms.fields().get("well"));
        fields.put("alarms", alarms.fields().get("alarms"));
        return new JsonObject(fields);
    }
}
