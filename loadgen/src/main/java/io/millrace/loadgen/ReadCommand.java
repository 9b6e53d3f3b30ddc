package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.BucketAddress;
import io.millrace.loadgen.client.GeneratedObjects;
import io.millrace.loadgen.client.KeyOrder;
import io.millrace.loadgen.client.ObjectCatalog;
import io.millrace.loadgen.client.OutgoingRequestSigner;
import io.millrace.loadgen.client.OutgoingRequestSigner.Credentials;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.client.SizeDistribution;
import io.millrace.loadgen.client.SyntheticObject;
import io.millrace.loadgen.client.TestObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    private static final Duration STALLED = Duration.ofMinutes(2);

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
    public Integer call() throws IOException, InterruptedException {
        boolean isRight = true;
        for (int round = 1; round <= rounds; round++) {
            ObjectCatalog objects = catalog(rounds == 1 ? name : name + "-" + round);
            for (URI bucket : buckets) {
                spec.commandLine().getOut().printf("%nurl=%s%nround=%d%n", bucket, round);
                isRight &= read(bucket, objects);
            }
        }
        return isRight ? 0 : 1;
    }

    private boolean read(URI bucket, ObjectCatalog objects) throws IOException, InterruptedException {
        Queue<String> right = new ConcurrentLinkedQueue<>();
        WorkingSet set = new WorkingSet("", objects, objects, false);
        try (S3ConnectionFactory connections =
                new S3ConnectionFactory(List.of(endpoint(bucket)), authenticator(), null, STALLED, 1)) {
            PhaseRunner[] runner = new PhaseRunner[1];
            runner[0] = new PhaseRunner(
                    connections,
                    set,
                    ProcessShare.WHOLE,
                    Duration.ofDays(1),
                    measurement -> observe(measurement, runner[0], right),
                    ProgressListener.NONE);
            PhaseResult result = runner[0].run(phase());
            if (completed != null) {
                Files.write(completed, right);
            }
            print(result);
            boolean isComplete = result.notRight() == 0;
            return result.operations().get(0).wrong() == 0 && (isComplete || stopAtFailure);
        }
    }

    private void observe(Measurement measurement, PhaseRunner runner, Queue<String> right) {
        if (measurement.outcome() != Outcome.RIGHT) {
            if (stopAtFailure) {
                runner.stop("a GET failed");
            }
        } else if (completed != null) {
            right.add(System.currentTimeMillis() + " " + measurement.key());
        }
    }

    private PhaseSettings phase() {
        return new PhaseSettings(
                "read",
                OperationMix.parse(range == null ? "get" : "range"),
                KeyOrder.SEQUENTIAL,
                workers,
                Optional.empty(),
                Optional.of(OperationCount.parse("1x")),
                Duration.ZERO,
                Optional.empty(),
                DataSize.parse(range == null ? "1" : range),
                DataSize.ofMebibytes(8),
                true,
                false);
    }

    private ObjectCatalog catalog(String prefix) throws IOException {
        if (keys == null) {
            return new GeneratedObjects(prefix + "/", objects, SizeDistribution.parse(size));
        }
        return new ExistingObjects(Files.readAllLines(keys).stream()
                .map(key -> SyntheticObject.of(key)
                        .map(TestObject::of)
                        .orElseThrow(() -> new IllegalArgumentException("no size at the end of " + key)))
                .toList());
    }

    private static BucketAddress endpoint(URI bucket) {
        return BucketAddress.of(
                URI.create(bucket.getScheme() + "://" + bucket.getRawAuthority()),
                bucket.getPath().substring(1),
                false);
    }

    private static OutgoingRequestSigner authenticator() {
        String accessKey = System.getenv("LOADGEN_ACCESS_KEY");
        String secretKey = System.getenv("LOADGEN_SECRET_KEY");
        if (accessKey == null || secretKey == null) {
            return OutgoingRequestSigner.ANONYMOUS;
        }
        Credentials credentials = new Credentials(accessKey, Secret.of(secretKey), Optional.empty());
        return new OutgoingRequestSigner("us-east-1", () -> Optional.of(credentials));
    }

    /** Prints the result as {@code name=value} lines, for scripts. */
    private void print(PhaseResult phase) {
        OperationResult gets = phase.operations().get(0);
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "right=%d%nfailed=%d%nwrong=%d%nhits=%d%nbytes=%d%nseconds=%.3f%n",
                gets.right(),
                gets.failed(),
                gets.wrong(),
                gets.hits(),
                gets.bytes(),
                phase.seconds());
        out.printf(
                Locale.ROOT,
                "MiB_per_second=%.1f%nobjects_per_second=%.1f%n",
                gets.bytes() / phase.seconds() / (1 << 20),
                gets.right() / phase.seconds());
        print("first_byte", gets.firstByte());
        print("whole", gets.whole());
        phase.failures().stream()
                .limit(3)
                .forEach(failure ->
                        out.printf("fault=%d times %s, as %s%n", failure.count(), failure.reason(), failure.example()));
        out.flush();
    }

    private void print(String what, LatencyResult latency) {
        spec.commandLine()
                .getOut()
                .printf(
                        Locale.ROOT,
                        "%s_ms_p50=%.2f%n%s_ms_p99=%.2f%n%s_ms_p100=%.2f%n",
                        what,
                        latency.at(50),
                        what,
                        latency.at(99),
                        what,
                        latency.maxMs());
    }
}
