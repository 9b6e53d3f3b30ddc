package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The gateway as it is. */
@Command(name = "status", description = "Version, backends and their buckets, and cache of the server.")
final class StatusCommand extends ClientCommand {
    @Option(names = "--json", description = "As a line of JSON.")
    private boolean json;

    StatusCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        JsonObject status = withHealth(api().get("/status", Map.of()), api().get("/backends", Map.of()));
        out().println(json ? Json.write(status) : Outline.text(status));
        out().flush();
        return ExitCode.DONE;
    }

    /** The status has the names of backends only, since asking these may take seconds. */
    private static JsonObject withHealth(JsonObject status, JsonObject backends) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(status.fields());
        fields.put("backends", backends.fields().get("backends"));
        return new JsonObject(fields);
    }
}
