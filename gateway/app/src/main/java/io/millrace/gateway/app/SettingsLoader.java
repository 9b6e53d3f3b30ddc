package io.millrace.gateway.app;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Reads settings from the settings file or the built-in defaults; environment variables override both. */
public final class SettingsLoader {
    private SettingsLoader() {}

    /** Reads the file and applies these checks. */
    public static LoadedSettings<MillraceSettings> ofFile(Path file, MachineChecks checks) throws SettingsException {
        return ofFile(file, System.getenv(), checks);
    }

    /** Reads the file with these environment variables and applies these checks. */
    public static LoadedSettings<MillraceSettings> ofFile(
            Path file, Map<String, String> environment, MachineChecks checks) throws SettingsException {
        return reader(environment).read(file, MillraceSettings.class, checks::check);
    }

    public static LoadedSettings<MillraceSettings> ofText(String yaml, Map<String, String> environment)
            throws SettingsException {
        return ofText(yaml, environment, MachineChecks.inThisProcess());
    }

    /** Reads the text and applies these checks. */
    public static LoadedSettings<MillraceSettings> ofText(
            String yaml, Map<String, String> environment, MachineChecks checks) throws SettingsException {
        return reader(environment).readText(yaml, Path.of(""), MillraceSettings.class, checks::check);
    }

    /**
     * Returns the format of the log, also of settings that have problems.
     *
     * @param file the settings file; empty for the built-in defaults
     */
    public static LogSettings.Format logFormat(Optional<Path> file, Map<String, String> environment) {
        return reader(environment)
                .textOf(file, "log", "format")
                .filter("json"::equals)
                .map(json -> LogSettings.Format.JSON)
                .orElse(LogSettings.Format.TEXT);
    }

    private static SettingsReader reader(Map<String, String> environment) {
        return new SettingsReader(BackendTypeRegistry.variants(), environment);
    }
}
