package io.millrace.config.binding;

import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.SubstitutedText;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The context for binding parsed settings to records: all known keys, the environment, the folder of relative paths and
 * the problems found.
 *
 * @param layout all keys, to suggest where a misplaced one belongs
 * @param substitution the environment, for <code>${NAME}</code>
 * @param folder base of relative paths
 * @param report collects the problems
 */
record BindingContext(
        SettingsSections layout, VariableSubstitution substitution, Path folder, ProblemCollector report) {
    /**
     * Resolves the text of a scalar; empty after a problem was reported. Remembers place and text for later problems.
     *
     * @param hidden whether messages must not show the text
     */
    Optional<SubstitutedText> text(SettingsNode.Scalar scalar, String path, boolean hidden) {
        report.remember(path, scalar.place());
        report.remember(path, SubstitutedText.plain(hidden ? Secret.REDACTED : scalar.raw()));
        try {
            SubstitutedText resolved = substitution.resolve(scalar);
            SubstitutedText text = hidden ? resolved.hidden() : resolved;
            report.remember(path, text);
            return Optional.of(text);
        } catch (InvalidValueException e) {
            report.addAt(path, e);
            return Optional.empty();
        }
    }

    /** Returns a context for a default, which uses no variables and whose problems are bugs. */
    BindingContext forDefault() {
        return new BindingContext(layout, new VariableSubstitution(Map.of()), folder, new ProblemCollector());
    }
}
