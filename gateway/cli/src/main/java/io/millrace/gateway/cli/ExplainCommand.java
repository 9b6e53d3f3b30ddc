package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace explain}: explains what the next GET of an object would do. */
@Command(
        name = "explain",
        description =
                "Explain what the next GET of an object would do. Changes nothing, and sends no request to a backend"
                        + " but to find out whether the bucket of an object that is not cached exists.")
final class ExplainCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/KEY",
            converter = S3Location.ObjectConverter.class,
            description = "The object.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location object;

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    ExplainCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        if (object.prefix().isEmpty()) {
            throw CliException.usage("%s is a bucket: write an object as s3://BUCKET/KEY".formatted(object));
        }
        JsonObject explanation = api().get("/explain", Map.of("bucket", object.bucket(), "key", object.prefix()));
        out().println(json ? JsonCodec.write(explanation) : text(explanation));
        out().flush();
        return ExitCode.DONE;
    }

    /** The sentence, and below it the details. */
    private static String text(JsonObject explanation) {
        Map<String, @Nullable Object> details = new LinkedHashMap<>(explanation.fields());
        details.keySet().remove("sentence");
        return TerminalEscaper.escape(explanation.text("sentence"))
                + System.lineSeparator()
                + JsonOutline.text(new JsonObject(details));
    }
}
