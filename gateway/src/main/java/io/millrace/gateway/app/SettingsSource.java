package io.millrace.gateway.app;

import io.millrace.config.Loaded;
import io.millrace.config.SettingsException;
import io.millrace.config.SettingsReader;
import java.nio.file.Path;
import java.util.Map;

/** Reads settings, from the operator's file or the built-in defaults; the environment has the last word. */
final class SettingsSource {
    private SettingsSource() {}

    static Loaded<MillraceSettings> ofFile(Path file) throws SettingsException {
        return ofFile(file, StartChecks.inThisProcess());
    }

    /** Reads the file for a start with these checks. */
    static Loaded<MillraceSettings> ofFile(Path file, StartChecks checks) throws SettingsException {
        return reader(System.getenv()).read(file, MillraceSettings.class, checks::check);
    }

    static Loaded<MillraceSettings> ofText(String yaml, Map<String, String> environment) throws SettingsException {
        return ofText(yaml, environment, StartChecks.inThisProcess());
    }

    /** Reads the text for a start with these checks. */
    static Loaded<MillraceSettings> ofText(String yaml, Map<String, String> environment, StartChecks checks)
            throws SettingsException {
        return reader(environment).readText(yaml, Path.of(""), MillraceSettings.class, checks::check);
    }

    private static SettingsReader reader(Map<String, String> environment) {
        return new SettingsReader(Backends.variants(), environment);
    }
}
