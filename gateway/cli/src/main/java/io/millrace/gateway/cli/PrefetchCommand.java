package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace prefetch}: submits a job that fetches objects into the cache. */
@Command(name = "prefetch", description = "Submit a job that fetches objects into the cache.")
final class PrefetchCommand extends SubmitJobCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = S3Location.Converter.class,
            description = "What to fetch.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location from;

    @Mixin
    private final ObjectSelectionOptions selection = new ObjectSelectionOptions();

    @Option(
            names = "--range",
            paramLabel = "R",
            description = "Fetch only this range of each object: bytes=0-1048575 or bytes=-65536.")
    private @Nullable String range;

    @Option(
            names = "--pin",
            paramLabel = "TIME",
            description = "Pin the objects in the cache for this time: 7d, 12h. Deleting the job unpins them.")
    private @Nullable String pin;

    PrefetchCommand(CommandEnvironment around) {
        super("prefetch", around);
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, environment()));
        JobRequestFieldWriter.putIfPresent(request, "range", range);
        JobRequestFieldWriter.putIfPresent(request, "pin", pin);
    }
}
