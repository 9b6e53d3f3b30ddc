package io.millrace.gateway.audit;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;

/** Settings of the files of a log: when a new one is begun, and how many are kept. */
public record LogRotationSettings(
        @SettingDescription(
                value = "The size from which on the file is renamed, with its time added to its name, and a new one"
                        + " begun.",
                defaultValue = "100MiB")
        DataSize rotateAt,

        @SettingDescription("How many renamed files are kept; older ones are deleted. 0 keeps all of them.")
        int keep)
        implements SelfValidatingSettings {
    private static final DataSize SMALLEST = DataSize.parse("1MiB");

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
