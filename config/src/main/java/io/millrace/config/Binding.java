package io.millrace.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What binding needs besides the tree.
 *
 * @param layout all keys there are, to say where a misplaced one belongs
 * @param substitution the environment, for <code>${NAME}</code>
 * @param folder what relative paths are relative to
 * @param report takes the problems
 */
record Binding(Layout layout, Substitution substitution, Path folder, Report report) {
    /**
     * The text of a scalar; empty after a problem was reported. Remembers place and text for later problems.
     *
     * @param hidden whether the text must not be shown
     */
    Optional<Text> text(Tree.Scalar scalar, String path, boolean hidden) {
        report.visit(path, scalar.place());
        report.visit(path, Text.plain(hidden ? Secret.HIDDEN : scalar.raw()));
        try {
            Text resolved = substitution.resolve(scalar);
            Text text = hidden ? resolved.hidden() : resolved;
            report.visit(path, text);
            return Optional.of(text);
        } catch (Unfit e) {
            report.addAt(path, e);
            return Optional.empty();
        }
    }

    /** The same for a default: it means the same in every environment, and its problems are mistakes of ours. */
    Binding forDefault() {
        return new Binding(layout, new Substitution(Map.of()), folder, new Report());
    }
}
