package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace pack}: submits a job that makes shards of objects. */
@Command(
        name = "pack",
        description = "Submit a job that makes shards of objects: tars of many samples, each with an index beside it.")
final class PackCommand extends SubmitJobCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://FROM/PREFIX",
            converter = S3Location.Converter.class,
            description = "What to pack. Names in the shards begin behind the last slash of the prefix.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location from;

    @Parameters(
            index = "1",
            paramLabel = "s3://TO/NAME",
            converter = S3Location.Converter.class,
            description = "Names of the shards, with a counter from 0: s3://bucket/train/shard-%%06d.tar.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location to;

    @Mixin
    private final ObjectSelectionOptions selection = new ObjectSelectionOptions();

    @Option(
            names = "--shard-size",
            paramLabel = "SIZE",
            description = "Bytes of a shard, at most: 512MiB. Default: 1GiB. A larger sample has a shard of its own.")
    private @Nullable String size;

    @Option(names = "--samples", paramLabel = "N", description = "Samples of a shard, at most.")
    private @Nullable Integer samples;

    @Option(
            names = "--shuffle",
            paramLabel = "SEED",
            description = "Shuffle the samples. The same seed makes the same shards of the same objects.")
    private @Nullable Long seed;

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "Samples that a shuffle mixes at a time: 16 to 100000. Default: all. For what is larger than"
                    + " the cache.")
    private @Nullable Integer window;

    @Option(names = "--append", description = "Number the shards after those that the target has, and replace none.")
    private boolean append;

    PackCommand(CommandEnvironment around) {
        super("pack", around);
    }

    @Override
    void putInto(Map<String, Object> request) {
        int name = to.prefix().lastIndexOf('/') + 1;
        Map<String, Object> shards = new LinkedHashMap<>();
        shards.put("name", to.prefix().substring(name));
        JobRequestFieldWriter.putIfPresent(shards, "size", size);
        JobRequestFieldWriter.putIfPresent(shards, "samples", samples);
        JobRequestFieldWriter.putIfPresent(shards, "shuffle", seed);
        JobRequestFieldWriter.putIfPresent(shards, "window", window);
        if (append) {
            shards.put("append", true);
        }
        request.put("from", selection.json(from, environment()));
        request.put("to", new S3Location(to.bucket(), to.prefix().substring(0, name)).json());
        request.put("shards", shards);
    }
}
