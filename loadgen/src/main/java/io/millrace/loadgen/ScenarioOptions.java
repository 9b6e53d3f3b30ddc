package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.config.problem.SettingsException;
import io.millrace.loadgen.client.KeyOrder;
import io.millrace.loadgen.client.SizeDistribution;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that select a scenario and replace settings of its objects and of all its phases. */
final class ScenarioOptions {
    @Parameters(
            arity = "0..1",
            paramLabel = "SCENARIO",
            defaultValue = "get",
            description = "A built-in scenario (see: bench scenario) or a YAML file; ${DEFAULT-VALUE}.")
    private String name = "";

    @Option(names = "--source", description = "${COMPLETION-CANDIDATES}: where the objects come from.")
    private @Nullable TestObjectSource source;

    @Option(
            names = "--keys-file",
            paramLabel = "FILE",
            description = "Keys to read, one per line; a tab and the size may follow.")
    private @Nullable Path keysFile;

    @Option(names = "--prefix", description = "Prefix of the keys.")
    private @Nullable String prefix;

    @Option(names = "--objects", paramLabel = "N", description = "Number of objects.")
    private @Nullable Long objects;

    @Option(names = "--size", description = "Size of generated objects, as 4KiB, 4KiB..1MiB or 4KiB:90,1MiB:10.")
    private @Nullable SizeDistribution size;

    @Option(names = "--operations", paramLabel = "MIX", description = "Operations, as get or get:90,put:10.")
    private @Nullable OperationMix operations;

    @Option(names = "--order", description = "${COMPLETION-CANDIDATES}: order of the objects.")
    private @Nullable KeyOrder order;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            description = "Connections, each with one request at a time.")
    private @Nullable Integer connections;

    @Option(
            names = {"-d", "--duration"},
            description = "Duration of each phase, as 30s.")
    private @Nullable Duration duration;

    @Option(
            names = {"-n", "--count"},
            description = "Operations of each phase, as 50000, or 1x for one per object; without a warm-up by default.")
    private @Nullable OperationCount count;

    @Option(names = "--warm-up", paramLabel = "DURATION", description = "Time at the start that is not measured.")
    private @Nullable Duration warmUp;

    @Option(
            names = "--rate",
            paramLabel = "PER-SECOND",
            description = "Operations per second on a schedule (open loop).")
    private @Nullable Double rate;

    @Option(names = "--range-size", paramLabel = "SIZE", description = "Bytes that range and tail read.")
    private @Nullable DataSize rangeSize;

    @Option(names = "--part-size", paramLabel = "SIZE", description = "Size of the parts of multipart uploads.")
    private @Nullable DataSize partSize;

    @Option(names = "--verify", negatable = true, description = "Check all bodies, or do not.")
    private @Nullable Boolean verify;

    /** Returns the scenario's name. */
    String name() {
        return name;
    }

    /**
     * Returns the scenario with these options.
     *
     * @throws SettingsException if the file or an option has problems
     */
    Scenario scenario() throws SettingsException {
        return new ScenarioOverrides(
                        Optional.ofNullable(source),
                        Optional.ofNullable(keysFile),
                        Optional.ofNullable(prefix),
                        Optional.ofNullable(objects),
                        Optional.ofNullable(size),
                        Optional.ofNullable(operations),
                        Optional.ofNullable(order),
                        Optional.ofNullable(connections),
                        Optional.ofNullable(duration),
                        Optional.ofNullable(count),
                        Optional.ofNullable(warmUp),
                        Optional.ofNullable(rate),
                        Optional.ofNullable(rangeSize),
                        Optional.ofNullable(partSize),
                        Optional.ofNullable(verify))
                .applyTo(ScenarioLoader.load(name));
    }
}
