package io.millrace.gateway.s3.observe;

import io.millrace.config.FlatSettings;
import io.millrace.config.SettingDescription;
import io.millrace.gateway.audit.LogRotationSettings;
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

        @FlatSettings(defaults = @FlatSettings.Default(key = "keep", value = "10"))
        LogRotationSettings rotation) {
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
}
