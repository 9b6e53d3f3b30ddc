package io.millrace.gateway.control;

import io.millrace.config.binding.SettingChange;
import java.util.List;
import java.util.Locale;

/**
 * The result of a reload, or of its preview: how the settings file differs from the settings in force.
 *
 * @param problems why the file cannot be applied
 * @param warnings values of the file that are probably not intended
 */
public record SettingsReloadResult(List<Change> changes, List<String> problems, List<String> warnings) {
    public SettingsReloadResult {
        changes = List.copyOf(changes);
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }

    /**
     * A changed setting, with secrets redacted.
     *
     * @param kind {@code added}, {@code removed}, {@code changed} or {@code reordered}
     * @param before its value; empty if there was none
     * @param after its new value; as {@code before} if the difference is not shown, such as that of a secret
     */
    public record Change(String path, String kind, String before, String after, boolean needsRestart) {
        public static Change of(SettingChange change) {
            return new Change(
                    change.path(),
                    change.kind().name().toLowerCase(Locale.ROOT),
                    change.before(),
                    change.after(),
                    change.needsRestart());
        }
    }
}
