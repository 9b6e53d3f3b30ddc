package io.millrace.config;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * Says in our words what the YAML parser found. The parser's own message is never shown: it quotes the file, and the
 * line it quotes may be the one with a secret.
 *
 * @param line from 1; 0 if the parser did not say
 * @param what what is wrong, with the column
 */
record YamlFault(int line, String what, String remedy) {
    /** Begins of the parser's messages, context and problem in one, each with what it means to an operator. */
    private static final List<Meaning> MEANINGS = List.of(
            new Meaning("(TAB)", "a tab stands where YAML wants spaces", "indent with spaces"),
            new Meaning(
                    "that cannot start any token",
                    "a value begins with a character that YAML keeps for itself",
                    "put the value in quotes"),
            new Meaning(
                    "scanning an alias",
                    "a value begins with *, which YAML takes for an alias",
                    "put the value in quotes, as \"*\""),
            new Meaning(
                    "undefined alias",
                    "a value begins with *, which YAML takes for an alias that is not defined above",
                    "put the value in quotes"),
            new Meaning(
                    "scanning an anchor",
                    "a value begins with &, which YAML takes for an anchor",
                    "put the value in quotes"),
            new Meaning(
                    "unknown escape character",
                    "a text in double quotes has a backslash that YAML does not know",
                    "use single quotes, or write \\\\ for a backslash"),
            new Meaning("escape sequence of", "a text in double quotes has a broken escape", "use single quotes"),
            new Meaning("quoted scalar", "a quote is not closed", "close it, and double a quote within the text"),
            new Meaning(
                    "could not find expected ':'",
                    "this line, or the one above, begins like a key and has no colon",
                    "write key: value with a space after the colon"),
            new Meaning(
                    "mapping values are not allowed",
                    "a colon stands where no key can be",
                    "put a value that contains ': ' in quotes, or correct the indentation"),
            new Meaning(
                    "sequence entries are not allowed",
                    "a list begins on the line of its key",
                    "begin each element on a line of its own, as - value"),
            new Meaning(
                    "parsing a block",
                    "the indentation does not fit the lines above",
                    "indent keys that belong together alike, with spaces"),
            new Meaning(
                    "parsing a flow",
                    "a [ or { is not closed, or a comma is missing",
                    "close it, put a comma between the elements, and write \"${NAME}\" in quotes"),
            new Meaning(
                    "expected a single document",
                    "a second document begins with ---",
                    "keep all settings in one document"),
            new Meaning("document start", "a second document begins here", "keep all settings in one document"),
            new Meaning("Number of aliases", "uses too many aliases (*name)", "write the values out"),
            new Meaning("Nesting Depth", "is nested too deeply", "check the brackets"),
            new Meaning("tag", "uses a tag (!name), which settings do not have", "take the tag out"));

    private static final String UNKNOWN_REMEDY =
            "check the quotes, brackets and indentation of this line and the one above";

    /** What {@code e} means, for {@code text}. */
    static YamlFault of(YAMLException e, String text) {
        if (e instanceof ReaderException reader) {
            return unprintable(reader, text);
        }
        if (e instanceof MarkedYAMLException marked) {
            @Nullable Mark mark = marked.getProblemMark() == null ? marked.getContextMark() : marked.getProblemMark();
            return at(mark, Meaning.of(marked.getContext() + " " + marked.getProblem()));
        }
        return at(null, Meaning.of(String.valueOf(e.getMessage())));
    }

    private static YamlFault at(@Nullable Mark mark, Meaning meaning) {
        if (mark == null) {
            return new YamlFault(0, meaning.what, meaning.remedy);
        }
        return new YamlFault(
                mark.getLine() + 1, meaning.what + " (column " + (mark.getColumn() + 1) + ")", meaning.remedy);
    }

    private static YamlFault unprintable(ReaderException e, String text) {
        int end = text.offsetByCodePoints(0, Math.min(e.getPosition(), text.codePointCount(0, text.length())));
        int line =
                1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        String what = String.format("has the character U+%04X, which YAML does not allow", e.getCodePoint());
        return new YamlFault(line, what, "take it out, or save the file as UTF-8 text");
    }

    private record Meaning(String sign, String what, String remedy) {
        private static Meaning of(String message) {
            return MEANINGS.stream()
                    .filter(meaning -> message.contains(meaning.sign))
                    .findFirst()
                    .orElse(new Meaning("", "is not YAML here", UNKNOWN_REMEDY));
        }
    }
}
