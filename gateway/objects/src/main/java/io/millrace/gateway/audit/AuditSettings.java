package io.millrace.gateway.audit;

import io.millrace.config.FlatSettings;
import io.millrace.config.SettingDescription;
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

        @FlatSettings(defaults = @FlatSettings.Default(key = "keep", value = "20"))
        LogRotationSettings rotation,

        @SettingDescription(
                value = "What happens while the file cannot be written: refuse requests that would be recorded, or"
                        + " serve them and count what is missing.",
                defaultValue = "refuse")
        OnFailure onFailure) {
    /** The treatment of requests that cannot be recorded. */
    public enum OnFailure {
        /** They are refused before they take effect. */
        REFUSE,
        /** They are served, and their lines are lost and counted. */
        DROP
    }
}
