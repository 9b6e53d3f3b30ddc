package io.millrace.loadgen;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that merges the results of processes that ran a scenario together. */
@Command(
        name = "merge",
        description = "Merge the results of processes that ran a scenario together (run --worker K/N).")
final class BenchMergeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "2..*", description = "Results in JSON.")
    private List<Path> files = List.of();

    @Mixin
    private ResultFileOptions output = new ResultFileOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        try {
            RunResult merged = ResultMerger.merge(BenchReportCommand.read(files));
            for (PhaseResult phase : merged.phases()) {
                spec.commandLine().getOut().print(ResultTextTable.of(phase));
            }
            spec.commandLine().getOut().flush();
            output.write(merged);
            return 0;
        } catch (IOException | IllegalArgumentException e) {
            return BenchReportCommand.fail(spec, e);
        }
    }
}
