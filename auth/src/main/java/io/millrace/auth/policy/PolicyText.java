package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A text of a policy that may have wildcards and variables. The variables are {@code ${aws:username}},
 * {@code ${aws:PrincipalTag/NAME}}, and {@code ${*}}, {@code ${?}} and {@code ${$}} for the characters themselves.
 * Immutable.
 *
 * @see <a href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html">Variables</a>
 */
final class PolicyText {
    /** Stands for the first of the variables; the others follow downwards. */
    private static final int FIRST_VARIABLE = -3;

    private final String text;
    private final int[] characters;
    private final List<Variable> variables;

    private PolicyText(String text, int[] characters, List<Variable> variables) {
        this.text = text;
        this.characters = characters;
        this.variables = variables;
    }

    /**
     * A property of the caller that a text has a place for.
     *
     * @param tag name of the session tag; empty for the name of the identity
     */
    record Variable(ConditionKey key, String tag) {}

    /**
     * The values that variables in policies have for one caller. Immutable.
     *
     * @param userName the name of the identity; empty for a session and without one
     * @param tags the session's tags by name, in any case
     */
    record VariableValues(Optional<String> userName, Map<String, String> tags) {
        /** The values of requests without a signature: there are none. */
        static final VariableValues NONE = new VariableValues(Optional.empty(), Map.of());

        VariableValues {
            Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            named.putAll(tags);
            tags = Collections.unmodifiableMap(named);
        }

        /** Returns the value of a variable; null if it has none. */
        @Nullable String find(Variable variable) {
            return variable.key() == ConditionKey.USER_NAME ? userName.orElse(null) : tags.get(variable.tag());
        }
    }

    /** Parses a text in which {@code *} and {@code ?} are wildcards. */
    static PolicyText pattern(String text) throws InvalidValueException {
        return parse(text, true);
    }

    /** Parses a text without wildcards. */
    static PolicyText literal(String text) throws InvalidValueException {
        return parse(text, false);
    }

    private static PolicyText parse(String text, boolean wildcards) throws InvalidValueException {
        IntStream.Builder characters = IntStream.builder();
        List<Variable> variables = new ArrayList<>();
        int from = 0;
        for (int start = text.indexOf("${"); start >= 0; start = text.indexOf("${", from)) {
            int end = text.indexOf('}', start);
            if (end < 0) {
                throw new InvalidValueException(
                        "has a variable without end in \"" + text + "\"",
                        "close it with }, or write ${$} for a dollar");
            }
            add(characters, text.substring(from, start), wildcards);
            String name = text.substring(start + 2, end);
            if (name.equals("*") || name.equals("?") || name.equals("$")) {
                characters.add(name.charAt(0));
            } else {
                characters.add(FIRST_VARIABLE - variables.size());
                variables.add(variable(name));
            }
            from = end + 1;
        }
        add(characters, text.substring(from), wildcards);
        return new PolicyText(text, characters.build().toArray(), List.copyOf(variables));
    }

    private static void add(IntStream.Builder characters, String plain, boolean wildcards) {
        (wildcards ? Arrays.stream(GlobPattern.wildcards(plain)) : plain.codePoints()).forEach(characters::add);
    }

    private static Variable variable(String name) throws InvalidValueException {
        ConditionKey key = ConditionKey.named(name).orElse(null);
        // A comma would begin a default value, as AWS has it.
        boolean isTag = key == ConditionKey.PRINCIPAL_TAG && Principal.isTagName(key.tag(name));
        if (key == null || !(isTag || key == ConditionKey.USER_NAME)) {
            throw new InvalidValueException(
                    "has the variable ${" + name + "}, which is not supported",
                    "write ${aws:username} or ${aws:PrincipalTag/NAME}, or no variable");
        }
        return new Variable(key, key.tag(name));
    }

    /** Returns whether the text depends on the caller. */
    boolean hasVariables() {
        return !variables.isEmpty();
    }

    /** Returns the properties of the caller that the text depends on. */
    List<Variable> variables() {
        return variables;
    }

    /** Returns the text as a pattern; empty if it has a variable without a value. */
    Optional<GlobPattern> glob(VariableValues caller) {
        return bound(caller).map(bound -> GlobPattern.of(text, bound));
    }

    /** Returns the text, to be used only without wildcards; empty if it has a variable without a value. */
    Optional<String> value(VariableValues caller) {
        return bound(caller).map(bound -> new String(bound, 0, bound.length));
    }

    /**
     * Returns the characters of the text, as {@link GlobPattern} has them; empty if it has a variable without a value.
     */
    Optional<int[]> bound(VariableValues caller) {
        if (!hasVariables()) {
            return Optional.of(characters);
        }
        List<String> values = new ArrayList<>();
        for (Variable variable : variables) {
            String value = caller.find(variable);
            if (value == null) {
                return Optional.empty();
            }
            values.add(value);
        }
        return Optional.of(Arrays.stream(characters)
                .flatMap(c ->
                        c <= FIRST_VARIABLE ? values.get(FIRST_VARIABLE - c).codePoints() : IntStream.of(c))
                .toArray());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PolicyText that && text.equals(that.text) && Arrays.equals(characters, that.characters);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the text as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
