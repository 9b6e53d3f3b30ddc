package io.millrace.gateway.audit;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Settings of the audit log: its file, what it records, and what happens when it cannot be written. */
public record AuditSettings(
        @SettingDescription(
                value = "The file that gets a line of JSON for each write, administrative act and refusal. Without it"
                        + " there is no audit log.",
                example = "/var/log/millrace/audit.log")
        Optional<Path> path,

        @SettingDescription(
                value = "Whether reads are recorded too. A line takes some microseconds of CPU and some 300 bytes.",
                defaultValue = "false")
        boolean reads,

        @SettingDescription(
                value = "The size from which on the file is renamed, with its time added to its name, and a new one"
                        + " begun.",
                defaultValue = "100MiB")
        DataSize rotateAt,

        @SettingDescription(
                value = "How many renamed files are kept; older ones are deleted. 0 keeps all of them.",
                defaultValue = "20")
        int keep,

        @SettingDescription(
                value = "What happens while the file cannot be written: refuse requests that would be recorded, or"
                        + " serve them and count what is missing.",
                defaultValue = "refuse")
        OnFailure onFailure)
        implements SelfValidatingSettings {
    private static final DataSize SMALLEST = DataSize.parse("1MiB");

    /** The treatment of requests that cannot be recorded. */
    public enum OnFailure {
        /** They are refused before they take effect. */
        REFUSE,
        /** They are served, and their lines are lost and counted. */
        DROP
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
