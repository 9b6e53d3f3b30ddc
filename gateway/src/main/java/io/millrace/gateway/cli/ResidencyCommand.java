package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What of a prefix is cached. */
@Command(name = "residency", description = "What is cached of a bucket, or of what begins with a prefix.")
final class ResidencyCommand extends ClientCommand {
    /** A step takes the server about as long. */
    private static final Duration BUSY_PAUSE = Duration.ofSeconds(1);

    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = Location.Converter.class,
            description = "Of what.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location of;

    @Option(
            names = "--of-bucket",
            description =
                    "Also list the bucket, up to a million objects, and tell how much of it is cached. It costs the"
                            + " backend a request for each 1,000 objects.")
    private boolean ofBucket;

    @Option(names = "--json", description = "As a line of JSON.")
    private boolean json;

    ResidencyCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("bucket", of.bucket());
        query.put("prefix", of.prefix());
        JsonObject residency = new ResidencyReading(
                        step -> api().get("/residency", step), BUSY_PAUSE, around().canRedraw(), err())
                .all(query);
        Map<String, @Nullable Object> all = new LinkedHashMap<>(residency.fields());
        if (ofBucket) {
            all.putAll(BucketListing.read(step -> api().get("/residency/listed", step), query));
        }
        out().println(json ? Json.write(all) : ResidencyText.of(of, new JsonObject(all)));
        out().flush();
        return ExitCode.DONE;
    }
}
