package io.millrace.config.source;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * A YAML syntax error in terms for operators. The parser's own message is not used, because it quotes a line of the file, which may
 * contain a secret.
 *
 * @param line from 1; 0 if unknown
 * @param description what is wrong, with the column
 */
record YamlError(int line, String description, String remedy) {
    /** Parts of the parser's messages (context and problem), each with its meaning for operators. */
    private static final List<KnownMessage> MEANINGS = List.of(
            new KnownMessage("(TAB)", "a tab stands where YAML wants spaces", "indent with spaces"),
            new KnownMessage(
                    "that cannot start any token",
                    "a value begins with a character that YAML keeps for itself",
                    "put the value in quotes"),
            new KnownMessage(
                    "scanning an alias",
                    "a value begins with *, which YAML takes for an alias",
                    "put the value in quotes, as \"*\""),
            new KnownMessage(
                    "undefined alias",
                    "a value begins with *, which YAML takes for an alias that is not defined above",
                    "put the value in quotes"),
            new KnownMessage(
                    "scanning an anchor",
                    "a value begins with &, which YAML takes for an anchor",
                    "put the value in quotes"),
            new KnownMessage(
                    "unknown escape character",
                    "a text in double quotes has a backslash that YAML does not know",
                    "use single quotes, or write \\\\ for a backslash"),
            new KnownMessage("escape sequence of", "a text in double quotes has a broken escape", "use single quotes"),
            new KnownMessage("quoted scalar", "a quote is not closed", "close it, and double a quote within the text"),
            new KnownMessage(
                    "could not find expected ':'",
                    "this line, or the one above, begins like a key and has no colon",
                    "write key: value with a space after the colon"),
            new KnownMessage(
                    "mapping values are not allowed",
                    "a colon stands where no key can be",
                    "put a value that contains ': ' in quotes, or correct the indentation"),
            new KnownMessage(
                    "sequence entries are not allowed",
                    "a list begins on the line of its key",
                    "begin each element on a line of its own, as - value"),
            new KnownMessage(
                    "parsing a block",
                    "the indentation does not fit the lines above",
                    "indent keys that belong together alike, with spaces"),
            new KnownMessage(
                    "parsing a flow",
                    "a [ or { is not closed, or a comma is missing",
                    "close it, put a comma between the elements, and write \"${NAME}\" in quotes"),
            new KnownMessage(
                    "expected a single document",
                    "a second document begins with ---",
                    "keep all settings in one document"),
            new KnownMessage("document start", "a second document begins here", "keep all settings in one document"),
            new KnownMessage("Number of aliases", "uses too many aliases (*name)", "write the values out"),
            new KnownMessage("Nesting Depth", "is nested too deeply", "check the brackets"),
            new KnownMessage("tag", "uses a tag (!name), which settings do not have", "remove the tag"));

    private static final String UNKNOWN_REMEDY =
            "check the quotes, brackets and indentation of this line and the one above";

    /** Translates {@code e}, thrown while {@code text} was parsed. */
    static YamlError of(YAMLException e, String text) {
        if (e instanceof ReaderException reader) {
            return unprintable(reader, text);
        }
        if (e instanceof MarkedYAMLException marked) {
            @Nullable Mark mark = marked.getProblemMark() == null ? marked.getContextMark() : marked.getProblemMark();
            return at(mark, KnownMessage.of(marked.getContext() + " " + marked.getProblem()));
        }
        return at(null, KnownMessage.of(String.valueOf(e.getMessage())));
    }

    private static YamlError at(@Nullable Mark mark, KnownMessage meaning) {
        if (mark == null) {
            return new YamlError(0, meaning.description, meaning.remedy);
        }
        return new YamlError(
                mark.getLine() + 1, meaning.description + " (column " + (mark.getColumn() + 1) + ")", meaning.remedy);
    }

    private static YamlError unprintable(ReaderException e, String text) {
        int end = text.offsetByCodePoints(0, Math.min(e.getPosition(), text.codePointCount(0, text.length())));
        int line =
                1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        String what = String.format("has the character U+%04X, which YAML does not allow", e.getCodePoint());
        return new YamlError(line, what, "remove it, or save the file as UTF-8 text");
    }

    private record KnownMessage(String pattern, String description, String remedy) {
        private static KnownMessage of(String message) {
            return MEANINGS.stream()
                    .filter(meaning -> message.contains(meaning.pattern))
                    .findFirst()
                    .orElse(new KnownMessage("", "is not YAML here", UNKNOWN_REMEDY));
        }
    }
}
