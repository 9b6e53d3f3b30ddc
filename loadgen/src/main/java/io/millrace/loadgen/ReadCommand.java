package io.millrace.loadgen;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that reads synthetic objects over S3, compares every byte and reports the times. */
@Command(
        name = "read",
        description = {
            "Read objects that an origin of this program computes, and compare every byte.",
            "Signs with the keys in LOADGEN_ACCESS_KEY and LOADGEN_SECRET_KEY, if they are set.",
            "Exit code 1 if a byte was wrong or, without --stop-at-failure, a GET failed."
        })
final class ReadCommand implements Callable<Integer> {
    @Option(
            names = "--url",
            required = true,
            description = "An endpoint with a bucket, http://127.0.0.1:9080/data; several are read in turns.")
    private List<URI> buckets = List.of();

    @Option(
            names = "--rounds",
            defaultValue = "1",
            description = "Of each, with other keys each time; ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--name", defaultValue = "object", description = "What the keys begin with; ${DEFAULT-VALUE}.")
    private String name = "";

    @Option(names = "--objects", defaultValue = "1", description = "How many objects; ${DEFAULT-VALUE}.")
    private int objects;

    @Option(names = "--size", defaultValue = "1MiB", description = "Of each object; ${DEFAULT-VALUE}.")
    private String size = "";

    @Option(names = "--keys", paramLabel = "FILE", description = "Read the keys in this file instead, one a line.")
    private @Nullable Path keys;

    @Option(names = "--range", description = "Read this much of each object, from a place that its number decides.")
    private @Nullable String range;

    @Option(names = "--workers", defaultValue = "1", description = "GETs at a time; ${DEFAULT-VALUE}.")
    private int workers;

    @Option(names = "--stop-at-failure", description = "Begin no GET after one has failed.")
    private boolean stopAtFailure;

    @Option(
            names = "--completed",
            paramLabel = "FILE",
            description = "Write a line for each GET that was right: when it ended, in ms since 1970, and the key.")
    private @Nullable Path completed;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        List<VerifyingClient> clients = buckets.stream()
                .map(bucket -> new VerifyingClient(bucket, signer(), workers))
                .toList();
        boolean sound = true;
        for (int round = 1; round <= rounds; round++) {
            List<GetTarget> targets = targets(rounds == 1 ? name : name + "-" + round);
            for (int i = 0; i < clients.size(); i++) {
                sound &= read(clients.get(i), targets, "%nurl=%s%nround=%d%n".formatted(buckets.get(i), round));
            }
        }
        return sound ? 0 : 1;
    }

    private boolean read(VerifyingClient client, List<GetTarget> targets, String heading) throws IOException {
        ReadSummary summary = new ClosedLoop(client, workers, stopAtFailure).read(targets);
        if (completed != null) {
            Files.write(completed, summary.completed());
        }
        spec.commandLine().getOut().print(heading + summary.text());
        spec.commandLine().getOut().flush();
        return summary.wrong() == 0 && (summary.failed() == 0 || stopAtFailure);
    }

    private List<GetTarget> targets(String prefix) throws IOException {
        long bytes = DataSize.parse(size).bytes();
        List<String> all = keys != null
                ? Files.readAllLines(keys)
                : IntStream.range(0, objects)
                        .mapToObj(i -> "%s/%08d/%d".formatted(prefix, i, bytes))
                        .toList();
        long part = range == null ? Long.MAX_VALUE : DataSize.parse(range).bytes();
        return IntStream.range(0, all.size())
                .mapToObj(i -> GetTarget.of(all.get(i), i, part))
                .toList();
    }

    private static Optional<RequestSigner> signer() {
        String accessKey = System.getenv("LOADGEN_ACCESS_KEY");
        String secretKey = System.getenv("LOADGEN_SECRET_KEY");
        return accessKey == null || secretKey == null
                ? Optional.empty()
                : Optional.of(new RequestSigner(accessKey, Secret.of(secretKey), "us-east-1"));
    }
}
