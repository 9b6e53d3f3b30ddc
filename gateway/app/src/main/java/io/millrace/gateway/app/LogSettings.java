package io.millrace.gateway.app;

import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Settings of the log on standard output: what it tells, and what a line is.
 *
 * @param debug loggers of Millrace: those of libraries could show headers with credentials
 */
public record LogSettings(
        @Reloadable @SettingDescription(value = "The least level of Millrace's messages.", defaultValue = "info")
        Level level,

        @Reloadable
        @SettingDescription(
                value = "Packages or classes of Millrace whose messages of level DEBUG are logged too.",
                example = "[ io.millrace.gateway.s3.server ]")
        List<String> debug,

        @SettingDescription(
                value = "What a message is: a line of text, below it what failed if that was unexpected; or an object"
                        + " of JSON (Elastic Common Schema) on one line.",
                defaultValue = "text")
        Format format)
        implements SelfValidatingSettings {
    /** The package whose loggers are all of Millrace's. */
    static final String OWN = "io.millrace";

    private static final Pattern NAME = Pattern.compile(Pattern.quote(OWN) + "(\\.\\w+)*");

    /** The level of a message, as the log shows it. */
    enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    /** The format of messages. */
    public enum Format {
        TEXT,
        JSON
    }

    public LogSettings {
        debug = List.copyOf(debug);
    }

    private static boolean exists(String name) {
        String path = "/" + name.replace('.', '/');
        return Stream.of(path, path + ".class", path + "/package-info.class")
                .anyMatch(file -> LogSettings.class.getResource(file) != null);
    }

    @Override
    public void check(ProblemReporter problems) {
        for (int i = 0; i < debug.size(); i++) {
            if (!NAME.matcher(debug.get(i)).matches()) {
                problems.add(
                        "debug[" + i + "]",
                        debug.get(i),
                        "is no package or class of Millrace",
                        "write one such as io.millrace.gateway.s3.server");
            } else if (!exists(debug.get(i))) {
                // It may be one of another release: that is no reason to refuse a start.
                problems.warn(
                        "debug[" + i + "]",
                        debug.get(i),
                        "is no package or class of this Millrace, so that it logs nothing",
                        "write one such as io.millrace.gateway.s3.server");
            }
        }
    }
}
