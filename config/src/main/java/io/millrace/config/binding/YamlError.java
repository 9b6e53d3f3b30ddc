package io.millrace.config.binding;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * A YAML syntax error in terms for operators. The parser's own message is used without its snippet, which may
 * contain a secret.
 *
 * @param line from 1; 0 if unknown
 * @param description what is wrong, with the column
 */
record YamlError(int line, String description, String remedy) {
    /**
     * Parts of the parser's messages (context and problem): common mistakes, and messages that quote a word of the
     * file.
     */
    private static final List<KnownMessage> KNOWN = List.of(
            new KnownMessage("(TAB)", "a tab stands where YAML wants spaces", "indent with spaces"),
            new KnownMessage(
                    "alias ",
                    "a value begins with *, which YAML takes for an alias",
                    "put the value in quotes, as \"*\""),
            new KnownMessage(
                    "quoted scalar found unexpected end",
                    "a quote is not closed",
                    "close it, and double a quote within the text"),
            new KnownMessage("tag", "uses a tag (!name), which settings do not have", "remove the tag"));

    private static final String UNKNOWN_REMEDY =
            "check the quotes, brackets and indentation of this line and the one above, and put ${NAME} in quotes";

    /** Translates {@code e}, thrown while {@code text} was parsed. */
    static YamlError of(YAMLException e, String text) {
        if (e instanceof ReaderException reader) {
            return unprintable(reader, text);
        }
        if (e instanceof MarkedYAMLException marked) {
            String problem = String.valueOf(marked.getProblem());
            @Nullable Mark mark = marked.getProblemMark() == null ? marked.getContextMark() : marked.getProblemMark();
            return at(mark, KnownMessage.of(marked.getContext() + " " + problem, problem));
        }
        String message = String.valueOf(e.getMessage());
        return at(null, KnownMessage.of(message, message));
    }

    private static YamlError at(@Nullable Mark mark, KnownMessage message) {
        return mark == null
                ? new YamlError(0, message.description, message.remedy)
                : new YamlError(
                        mark.getLine() + 1,
                        message.description + " (column " + (mark.getColumn() + 1) + ")",
                        message.remedy);
    }

    private static YamlError unprintable(ReaderException e, String text) {
        int end = text.offsetByCodePoints(0, Math.min(e.getPosition(), text.codePointCount(0, text.length())));
        int line =
                1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        String what = String.format("has the character U+%04X, which YAML does not allow", e.getCodePoint());
        return new YamlError(line, what, "remove it, or save the file as UTF-8 text");
    }

    private record KnownMessage(String pattern, String description, String remedy) {
        private static KnownMessage of(String message, String problem) {
            return KNOWN.stream()
                    .filter(known -> message.contains(known.pattern))
                    .findFirst()
                    .orElse(new KnownMessage("", "is not YAML: " + problem, UNKNOWN_REMEDY));
        }
    }
}
