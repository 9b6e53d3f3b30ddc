package io.millrace.gateway.s3.observe;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Settings of the access log: where its lines go, and what they look like. */
public record AccessLogSettings(
        @SettingDescription(
                value = "The file that gets the lines. Without it, or with the name -, they go to standard output.",
                example = "/var/log/millrace/access.log")
        Optional<Path> path,

        @SettingDescription(value = "What a line is: fields between blanks, or JSON.", defaultValue = "text")
        Format format,

        @SettingDescription(
                value = "The size from which on the file is renamed, with its time added to its name, and a new one"
                        + " begun.",
                defaultValue = "100MiB")
        DataSize rotateAt,

        @SettingDescription(
                value = "How many renamed files are kept; older ones are deleted. 0 keeps all of them.",
                defaultValue = "10")
        int keep)
        implements SelfValidatingSettings {
    private static final DataSize SMALLEST = DataSize.parse("1MiB");
    private static final Path STANDARD_OUTPUT = Path.of("-");

    /** The format of lines. */
    public enum Format {
        /** Fields between blanks, in a fixed order. */
        TEXT,
        /** An object of JSON. */
        JSON
    }

    /** Returns the file; empty for standard output. */
    public Optional<Path> file() {
        return path.filter(file -> !file.endsWith(STANDARD_OUTPUT));
    }

    @Override
    public void check(ProblemReporter problems) {
        if (rotateAt.compareTo(SMALLEST) < 0) {
            problems.add("rotate-at", rotateAt, "is less than " + SMALLEST, "write a size such as 100MiB");
        }
        if (keep < 0) {
            problems.add("keep", keep, "is negative", "write how many files to keep, or 0 for all");
        }
    }
}
