package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Brings objects into the cache. */
@Command(name = "prefetch", description = "Bring objects into the cache, as a job.")
final class PrefetchCommand extends SubmitCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = Location.Converter.class,
            description = "What to bring.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location from;

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Option(names = "--range", paramLabel = "R", description = "Of each object: bytes=0-1048575 or bytes=-65536.")
    private @Nullable String range;

    @Option(
            names = "--keep",
            paramLabel = "TIME",
            description = "How long it stays in the cache whatever else comes: 7d, 12h. Deleting the job ends that.")
    private @Nullable String keep;

    PrefetchCommand(Surroundings around) {
        super(around);
    }

    @Override
    String kind() {
        return "prefetch";
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, around()));
        Fields.put(request, "range", range);
        Fields.put(request, "keep", keep);
    }
}
