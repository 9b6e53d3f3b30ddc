package io.millrace.gateway.app;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;

/** The settings file and the environment of a running gateway, which can be read again. */
@FunctionalInterface
public interface SettingsSource {
    /**
     * Reads and checks the settings. Blocks.
     *
     * @throws SettingsException with all problems
     */
    LoadedSettings<MillraceSettings> load() throws SettingsException;
}
