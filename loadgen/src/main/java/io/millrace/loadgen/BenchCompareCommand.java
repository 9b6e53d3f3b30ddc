package io.millrace.loadgen;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that compares results with others, as ratios with their confidence intervals. */
@Command(
        name = "compare",
        description = {
            "Compare results with base results, as ratios.",
            "Several runs on each side give a confidence interval; run them in turns."
        })
final class BenchCompareCommand implements Callable<Integer> {
    @Option(names = "--base", paramLabel = "FILE", required = true, arity = "1..*", description = "Base results.")
    private List<Path> base = List.of();

    @Option(names = "--other", paramLabel = "FILE", required = true, arity = "1..*", description = "Other results.")
    private List<Path> others = List.of();

    @Option(names = "--html", paramLabel = "FILE", description = "Write a report with plots of all runs.")
    private @Nullable Path html;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        try {
            List<RunResult> baseRuns = BenchReportCommand.read(base);
            List<RunResult> otherRuns = BenchReportCommand.read(others);
            List<RunComparison.Line> lines = RunComparison.compare(baseRuns, otherRuns);
            spec.commandLine().getOut().print(ResultTextTable.of(lines));
            spec.commandLine().getOut().flush();
            if (html != null) {
                List<RunResult> all = new ArrayList<>(baseRuns);
                all.addAll(otherRuns);
                HtmlReport.write(html, all, lines);
            }
            return 0;
        } catch (IOException | IllegalArgumentException e) {
            return BenchReportCommand.fail(spec, e);
        }
    }
}
