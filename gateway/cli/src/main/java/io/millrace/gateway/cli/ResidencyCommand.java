package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace residency}: shows how much of a bucket or prefix is cached. */
@Command(
        name = "residency",
        description = {
            "Show how much of a bucket or prefix is cached.",
            "Of a cluster with shared placement, at all members; ends with 1 if one of them does not answer.",
            "How much the bucket has: aws s3 ls --recursive --summarize s3://BUCKET"
        })
final class ResidencyCommand extends ClientCommand {
    /** About the time that one step takes on the server. */
    private static final Duration BUSY_PAUSE = Duration.ofSeconds(1);

    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = S3Location.Converter.class,
            description = "The bucket or prefix.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location of;

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    ResidencyCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("bucket", of.bucket());
        query.put("prefix", of.prefix());
        JsonObject residency = new ResidencyReader(
                        step -> api().get("/residency", step),
                        BUSY_PAUSE,
                        environment().canRedraw(),
                        err())
                .readAll(query);
        out().println(json ? JsonCodec.write(residency) : ResidencyText.of(of, residency));
        out().flush();
        return residency.has(ResidencyReader.UNANSWERED) ? ExitCode.FAILED : ExitCode.DONE;
    }
}
