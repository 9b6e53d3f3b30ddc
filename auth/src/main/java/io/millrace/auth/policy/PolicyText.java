package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A text of a policy that may have wildcards and variables. The variables are {@code ${aws:username}}, and
 * {@code ${*}}, {@code ${?}} and {@code ${$}} for the characters themselves. Immutable.
 *
 * @see <a href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html">Variables</a>
 */
final class PolicyText {
    /** Stands for the name of the caller. */
    private static final int USER_NAME = -3;

    private final String text;
    private final int[] characters;

    private PolicyText(String text, int[] characters) {
        this.text = text;
        this.characters = characters;
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
        int from = 0;
        for (int start = text.indexOf("${"); start >= 0; start = text.indexOf("${", from)) {
            int end = text.indexOf('}', start);
            if (end < 0) {
                throw new InvalidValueException(
                        "has a variable without end in \"" + text + "\"",
                        "close it with }, or write ${$} for a dollar");
            }
            add(characters, text.substring(from, start), wildcards);
            characters.add(variable(text.substring(start + 2, end)));
            from = end + 1;
        }
        add(characters, text.substring(from), wildcards);
        return new PolicyText(text, characters.build().toArray());
    }

    private static void add(IntStream.Builder characters, String plain, boolean wildcards) {
        (wildcards ? Arrays.stream(GlobPattern.wildcards(plain)) : plain.codePoints()).forEach(characters::add);
    }

    private static int variable(String name) throws InvalidValueException {
        if (name.equals("*") || name.equals("?") || name.equals("$")) {
            return name.charAt(0);
        }
        if (name.equalsIgnoreCase(ConditionKey.USER_NAME.wireName())) {
            return USER_NAME;
        }
        throw new InvalidValueException(
                "has the variable ${" + name + "}, which is not supported", "write ${aws:username}, or no variable");
    }

    /** Returns whether the text depends on the caller. */
    boolean hasVariables() {
        return Arrays.stream(characters).anyMatch(c -> c == USER_NAME);
    }

    /** Returns the text as a pattern; empty if it has a variable without a value. */
    Optional<GlobPattern> glob(Optional<String> userName) {
        return bound(userName).map(bound -> GlobPattern.of(text, bound));
    }

    /** Returns the text, to be used only without wildcards; empty if it has a variable without a value. */
    Optional<String> value(Optional<String> userName) {
        return bound(userName).map(bound -> new String(bound, 0, bound.length));
    }

    /** Returns the characters of the text, as {@link GlobPattern} has them; empty if it has a variable without a value. */
    Optional<int[]> bound(Optional<String> userName) {
        if (!hasVariables()) {
            return Optional.of(characters);
        }
        return userName.map(name -> Arrays.stream(characters)
                .flatMap(c -> c == USER_NAME ? name.codePoints() : IntStream.of(c))
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
