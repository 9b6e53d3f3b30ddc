package io.millrace.config.binding;

import io.millrace.config.problem.SourceLocation;
import java.util.List;
import java.util.Map;

/**
 * A node of the parsed settings file, with its place, before it is bound to records. Scalars are texts: YAML's own
 * typing (numbers, dates, {@code on} as true) is not used, because the type of the key decides. Lists and mappings are
 * mutable, so that environment variables can be applied.
 */
sealed interface SettingsNode {
    /** Returns the place of its key, or its own if it has no key. */
    SourceLocation place();

    /** Returns the kind of node, for messages. */
    String kind();

    /**
     * A single value.
     *
     * @param literal whether <code>${NAME}</code> in it is plain text
     * @param blank whether it is empty or YAML's {@code null} without quotes
     */
    record Scalar(SourceLocation place, String raw, boolean literal, boolean blank) implements SettingsNode {
        /** Returns a scalar that does not come from the file. */
        static Scalar literal(SourceLocation place, String text) {
            return new Scalar(place, text, true, false);
        }

        @Override
        public String kind() {
            return "a single value";
        }
    }

    /** A list. */
    record Sequence(SourceLocation place, List<SettingsNode> elements) implements SettingsNode {
        @Override
        public String kind() {
            return "a list";
        }
    }

    /** A mapping, in the order of the file. */
    record Mapping(SourceLocation place, Map<String, SettingsNode> entries) implements SettingsNode {
        @Override
        public String kind() {
            return "a mapping of keys to values";
        }
    }

    /** Whether {@code tree} is an empty scalar, as of a key whose lines are all commented out. */
    static boolean isBlank(SettingsNode tree) {
        return tree instanceof Scalar scalar && scalar.blank();
    }
}
