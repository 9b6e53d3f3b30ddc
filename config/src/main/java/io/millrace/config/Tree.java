package io.millrace.config;

import java.util.List;
import java.util.Map;

/**
 * What the operator wrote, before anybody knows what it means: the nodes of the file with their places. Scalars are
 * texts; YAML's own guesses (numbers, dates, {@code on} as true) are left out on purpose, since the type of the key
 * decides. Lists and mappings can be changed, which is how the environment gets in.
 */
sealed interface Tree {
    /** The line of its key, or of itself where it has none. */
    Place place();

    /** What it is, for messages. */
    String kind();

    /**
     * A single value.
     *
     * @param literal whether <code>${NAME}</code> in it is plain text
     * @param blank whether nothing stands there, or YAML's {@code null} without quotes
     */
    record Scalar(Place place, String raw, boolean literal, boolean blank) implements Tree {
        /** A text from elsewhere than the file. */
        static Scalar literal(Place place, String text) {
            return new Scalar(place, text, true, false);
        }

        @Override
        public String kind() {
            return "a single value";
        }
    }

    /** A list. */
    record Sequence(Place place, List<Tree> elements) implements Tree {
        @Override
        public String kind() {
            return "a list";
        }
    }

    /** Keys and values, in the order of the file. */
    record Mapping(Place place, Map<String, Tree> entries) implements Tree {
        @Override
        public String kind() {
            return "a mapping of keys to values";
        }
    }

    /** Whether {@code tree} has nothing in it, as a key whose lines are all commented out. */
    static boolean isBlank(Tree tree) {
        return tree instanceof Scalar scalar && scalar.blank();
    }
}
