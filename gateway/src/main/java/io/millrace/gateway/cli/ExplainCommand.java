package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains how the server would answer the next GET of an object. */
@Command(
        name = "explain",
        description =
                "Tell what the next GET of an object would do, and why. No backend is asked, and nothing changes.")
final class ExplainCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/KEY",
            converter = Location.Converter.class,
            description = "The object.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location object;

    @Option(names = "--json", description = "As a line of JSON.")
    private boolean json;

    ExplainCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        if (object.prefix().isEmpty()) {
            throw CliException.usage("%s is a bucket: write an object as s3://BUCKET/KEY".formatted(object));
        }
        JsonObject explanation = api().get("/explain", Map.of("bucket", object.bucket(), "key", object.prefix()));
        out().println(json ? Json.write(explanation) : text(explanation));
        out().flush();
        return ExitCode.DONE;
    }

    /** The sentence, and below it what it is made of. */
    private static String text(JsonObject explanation) {
        Map<String, @Nullable Object> details = new LinkedHashMap<>(explanation.fields());
        details.keySet().remove("sentence");
        return PlainText.of(explanation.text("sentence"))
                + System.lineSeparator()
                + Outline.text(new JsonObject(details));
    }
}
