package io.millrace.loadgen;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that writes a report of one or more results. */
@Command(name = "report", description = "Write a report of results, as HTML with plots or as CSV.")
final class BenchReportCommand implements Callable<Integer> {
    private static final int FAILURE = 1;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Results in JSON.")
    private List<Path> files = List.of();

    @Option(names = "--html", paramLabel = "FILE", description = "Write a report with plots.")
    private @Nullable Path html;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write a line per run, phase and operation.")
    private @Nullable Path csv;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        try {
            List<RunResult> runs = read(files);
            if (html == null && csv == null) {
                throw new IllegalArgumentException("name a file for the report: --html FILE or --csv FILE");
            }
            if (html != null) {
                HtmlReport.write(html, runs, List.of());
            }
            if (csv != null) {
                CsvFile.write(csv, runs);
            }
            return 0;
        } catch (IOException | IllegalArgumentException e) {
            return fail(spec, e);
        }
    }

    /** Reads results. */
    static List<RunResult> read(List<Path> files) throws IOException {
        List<RunResult> runs = new ArrayList<>();
        for (Path file : files) {
            runs.add(ResultFile.read(file));
        }
        return runs;
    }

    /** Prints why a command failed and returns its exit code. */
    static int fail(CommandSpec spec, Exception failure) {
        String message = failure instanceof NoSuchFileException missing
                ? "there is no file " + missing.getFile()
                : String.valueOf(failure.getMessage());
        spec.commandLine().getErr().println("millrace: " + message);
        return FAILURE;
    }
}
