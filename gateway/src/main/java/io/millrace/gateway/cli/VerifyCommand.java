package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Holds bytes against where they came from. */
@Command(name = "verify", description = "Hold cached or copied bytes against where they came from, as a job.")
final class VerifyCommand extends SubmitCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = Location.Converter.class,
            description = "What is cached; with a second location, what was copied.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location from;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "s3://COPY/PREFIX",
            converter = Location.Converter.class,
            description = "Where it was copied to.")
    private @Nullable Location to;

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    VerifyCommand(Surroundings around) {
        super(around);
    }

    @Override
    String kind() {
        return "verify";
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, around()));
        Fields.put(request, "to", to == null ? null : to.json());
    }
}
