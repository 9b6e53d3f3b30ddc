package io.millrace.gateway.cli;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Takes objects out of the cache. */
@Command(name = "evict", description = "Take objects out of the cache, as a job. Where they live, they stay.")
final class EvictCommand extends SubmitCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = Location.Converter.class,
            description = "What to take out.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location from;

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    EvictCommand(Surroundings around) {
        super(around);
    }

    @Override
    String kind() {
        return "evict";
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, around()));
    }
}
