package io.millrace.loadgen;

import io.millrace.config.problem.SettingsException;
import io.millrace.loadgen.client.S3ConnectionFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that runs a scenario against an S3 endpoint and prints and writes its results. */
@Command(
        name = "run",
        description = {
            "Run a scenario and print its latencies and throughput.",
            "Generated objects that are missing are uploaded first. Credentials are those of AWS's tools: environment,"
                    + " profile, role.",
            "Exit code 0 if all operations were right, 1 if one failed, a rate was not reached, a cold phase had hits"
                    + " or the endpoint cannot be used, 2 for wrong usage."
        })
final class BenchRunCommand implements Callable<Integer> {
    private static final int FAILURE = 1;
    private static final int USAGE = 2;

    @Mixin
    private EndpointOptions endpoint = new EndpointOptions();

    @Mixin
    private ScenarioOptions scenario = new ScenarioOptions();

    @Mixin
    private ResultFileOptions output = new ResultFileOptions();

    @Option(names = "--label", description = "Name of the run in reports and comparisons; by default the scenario's.")
    private @Nullable String label;

    @Option(
            names = "--worker",
            paramLabel = "K/N",
            defaultValue = "1/1",
            description = "Run the K-th of N parts of the load; start N processes and merge their results.")
    private ProcessShare share = ProcessShare.WHOLE;

    @Option(names = "--no-upload", description = "Do not look for generated objects that are missing.")
    private boolean skipUpload;

    @Option(names = "--upload-only", description = "Upload the generated objects that are missing, and end.")
    private boolean uploadOnly;

    @Option(names = "--cleanup", description = "Delete the generated objects at the end.")
    private boolean cleanup;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        Scenario settings;
        try {
            settings = scenario.scenario();
        } catch (SettingsException e) {
            err.println("millrace: " + e.getMessage());
            return USAGE;
        }
        try (S3ConnectionFactory connections = endpoint.connections()) {
            ScenarioRun run = new ScenarioRun(
                    settings, connections, share, spec.commandLine().getOut(), err);
            RunResult result =
                    run.run(label == null ? scenario.name() : label, scenario.name(), upload(), cleanup, output);
            return uploadOnly || run.isRight(result) ? 0 : FAILURE;
        } catch (IOException e) {
            err.println("millrace: " + e.getMessage());
            return FAILURE;
        } catch (IllegalArgumentException e) {
            err.println("millrace: " + e.getMessage());
            return USAGE;
        }
    }

    private MissingObjectMode upload() {
        if (skipUpload && uploadOnly) {
            throw new IllegalArgumentException("--no-upload and --upload-only exclude each other");
        }
        return uploadOnly ? MissingObjectMode.ONLY : skipUpload ? MissingObjectMode.NEVER : MissingObjectMode.MISSING;
    }
}
