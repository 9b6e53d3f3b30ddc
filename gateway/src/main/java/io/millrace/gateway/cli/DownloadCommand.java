package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fetches URLs into a bucket. */
@Command(name = "download", description = "Fetch a list of URLs into a bucket, as a job.")
final class DownloadCommand extends SubmitCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://TO/PREFIX",
            converter = Location.Converter.class,
            description = "Where to.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location to;

    @ArgGroup(multiplicity = "1")
    private final Source source = new Source();

    /** Where the URLs come from. */
    static final class Source {
        @Option(
                names = "--urls-from",
                paramLabel = "FILE",
                description = "URLs, one a line, 10,000 at most; - is standard input.")
        private @Nullable String urlsFrom;

        @Option(
                names = "--template",
                paramLabel = "URLS",
                description = "URLs that are counted up: https://host/shard-{000..127}.tar.")
        private @Nullable String template;

        @Option(names = "--manifest", paramLabel = "KEY", description = "An object of the bucket that lists URLs.")
        private @Nullable String manifest;
    }

    DownloadCommand(Surroundings around) {
        super(around);
    }

    @Override
    String kind() {
        return "download";
    }

    @Override
    void putInto(Map<String, Object> request) {
        Map<String, Object> from = new LinkedHashMap<>();
        from.put("bucket", to.bucket());
        if (source.urlsFrom != null) {
            from.put("urls", Lines.read("--urls-from", source.urlsFrom, around()));
        }
        Fields.put(from, "template", source.template);
        Fields.put(from, "manifest", source.manifest);
        request.put("from", from);
        request.put("to", to.json());
    }
}
