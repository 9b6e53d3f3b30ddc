package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes the server ask again for what was changed behind its back. */
@Command(
        name = "invalidate",
        description = "Believe nothing cached of what begins with a prefix until the backend was asked again.")
final class InvalidateCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = Location.Converter.class,
            description = "What was changed; without a prefix the whole bucket.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location what;

    @Option(names = "--key", description = "The one object of that name, and not what else begins with it.")
    private boolean key;

    InvalidateCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        if (key && what.prefix().isEmpty()) {
            throw CliException.usage("--key: name an object, as s3://BUCKET/KEY");
        }
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bucket", what.bucket());
        request.put(key ? "key" : "prefix", what.prefix());
        api().post("/invalidations", request);
        String all = key || what.prefix().isEmpty() ? "" : "*";
        out().println(PlainText.of(what.toString()) + all + " is asked for again before it is used");
        out().flush();
        return ExitCode.DONE;
    }
}
