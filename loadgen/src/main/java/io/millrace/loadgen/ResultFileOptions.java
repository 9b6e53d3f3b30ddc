package io.millrace.loadgen;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options that name the JSON, CSV and HTML files to which the result of a load test is written. */
final class ResultFileOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Write the result, for compare, merge and report.")
    private @Nullable Path json;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write a line per phase and operation.")
    private @Nullable Path csv;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a report with plots.")
    private @Nullable Path html;

    /** Writes the files that are named. */
    void write(RunResult result) throws IOException {
        if (json != null) {
            ResultFile.write(json, result);
        }
        if (csv != null) {
            CsvFile.write(csv, List.of(result));
        }
        if (html != null) {
            HtmlReport.write(html, List.of(result), List.of());
        }
    }
}
