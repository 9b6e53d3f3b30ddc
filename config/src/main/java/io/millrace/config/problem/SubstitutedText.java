package io.millrace.config.problem;

import io.millrace.config.Secret;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The text of a settings value with environment variables substituted, and a version of it that is safe to show in
 * messages. Messages never show the value of a variable, because it may be a secret at the wrong key; they show the
 * text as written.
 *
 * @param value with variables substituted
 * @param shown the form for messages
 * @param variables names and values of the variables substituted in it
 */
public record SubstitutedText(String value, String shown, Map<String, String> variables) {
    /** Length limit of a value in a message. */
    private static final int LONGEST_SHOWN = 120;

    private static final Pattern PASSWORD_IN_URL = Pattern.compile("://.*@", Pattern.DOTALL);
    private static final Pattern PASSWORD_BEFORE_HOST = Pattern.compile("^[^:/@]+:[^/@]+@");

    /** Returns a text that messages may show as it is. */
    public static SubstitutedText plain(String value) {
        return new SubstitutedText(value, value, Map.of());
    }

    /** Returns a copy that messages do not show. */
    public SubstitutedText hidden() {
        return new SubstitutedText(value, Secret.REDACTED, variables);
    }

    /** Replaces values of variables in a message about this text by the variable names. */
    String redact(String message) {
        String redacted = message;
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            if (!variable.getValue().isEmpty()) {
                redacted = redacted.replace(variable.getValue(), "${" + variable.getKey() + "}");
            }
        }
        return redacted;
    }

    /** Formats a value for messages: one short line, without the user and password of a URL. */
    public static String printable(String value) {
        String open = PASSWORD_IN_URL.matcher(value).replaceFirst("://" + Secret.REDACTED + "@");
        return printable(PASSWORD_BEFORE_HOST.matcher(open).replaceFirst(Secret.REDACTED + "@"), LONGEST_SHOWN);
    }

    /** Formats a text as one line without control characters, so that no value can forge a log line. */
    static String printable(String text, int longest) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(longest).forEach(c -> {
            if (isPrintable(Character.getType(c))) {
                line.appendCodePoint(c);
            } else {
                line.append(String.format("\\u%04x", c));
            }
        });
        return text.codePointCount(0, text.length()) > longest ? line + "…" : line.toString();
    }

    private static boolean isPrintable(int type) {
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.SURROGATE
                && type != Character.UNASSIGNED;
    }
}
