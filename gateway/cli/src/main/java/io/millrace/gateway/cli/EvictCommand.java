package io.millrace.gateway.cli;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace evict}: submits a job that evicts objects from the cache. */
@Command(name = "evict", description = "Submit a job that evicts objects from the cache. They stay at their backend.")
final class EvictCommand extends SubmitJobCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = S3Location.Converter.class,
            description = "What to evict.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location from;

    @Mixin
    private final ObjectSelectionOptions selection = new ObjectSelectionOptions();

    EvictCommand(CommandEnvironment around) {
        super("evict", around);
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, environment()));
    }
}
