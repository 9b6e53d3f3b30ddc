package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace invalidate}: makes cached metadata stale after a change that did not pass the server. */
@Command(
        name = "invalidate",
        description = "Make the server revalidate cached objects below a prefix before it uses them again.")
final class InvalidateCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://BUCKET/PREFIX",
            converter = S3Location.Converter.class,
            description = "What has changed; without a prefix, the whole bucket.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location what;

    @Option(names = "--key", description = "Invalidate only the object with exactly this key.")
    private boolean key;

    @Option(names = "--json", description = "Print what was asked for as one line of JSON.")
    private boolean json;

    InvalidateCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        if (key && what.prefix().isEmpty()) {
            throw CliException.usage("--key: name an object, as s3://BUCKET/KEY");
        }
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bucket", what.bucket());
        request.put(key ? "key" : "prefix", what.prefix());
        api().post("/invalidations", request);
        String all = key || what.prefix().isEmpty() ? "" : "*";
        out().println(
                        json
                                ? JsonCodec.write(request)
                                : TerminalEscaper.escape(what.toString()) + all
                                        + ": the next read of each object asks the backend");
        out().flush();
        return ExitCode.DONE;
    }
}
