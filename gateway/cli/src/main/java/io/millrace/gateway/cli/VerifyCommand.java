package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace verify}: submits a job that compares cached or copied bytes with their source. */
@Command(name = "verify", description = "Submit a job that compares cached or copied bytes with their source.")
final class VerifyCommand extends SubmitJobCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = S3Location.Converter.class,
            description = "What to verify: cached objects or, with a second location, the source of a copy.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location from;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "s3://COPY/PREFIX",
            converter = S3Location.Converter.class,
            description = "Target of the copy.")
    private @Nullable S3Location to;

    @Mixin
    private final ObjectSelectionOptions selection = new ObjectSelectionOptions();

    VerifyCommand(CommandEnvironment around) {
        super("verify", around);
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, environment()));
        JobRequestFieldWriter.putIfPresent(request, "to", to == null ? null : to.json());
    }
}
