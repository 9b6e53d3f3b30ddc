package io.millrace.config;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * A scalar as it counts and as it may be shown. What came out of a variable is never shown, since it may be a secret
 * that stands at the wrong key: then the text is shown as it was written.
 *
 * @param value with variables replaced
 * @param shown for messages
 * @param variables names and values of the variables that were replaced in it
 */
record Text(String value, String shown, Map<String, String> variables) {
    /** Longest text that a message repeats. */
    private static final int LONGEST_SHOWN = 120;

    private static final Pattern PASSWORD_IN_URL = Pattern.compile("://.*@", Pattern.DOTALL);
    private static final Pattern PASSWORD_BEFORE_HOST = Pattern.compile("^[^:/@]+:[^/@]+@");

    /** A text that is shown as it is. */
    static Text plain(String value) {
        return new Text(value, value, Map.of());
    }

    /** The same text, never shown. */
    Text hidden() {
        return new Text(value, Secret.HIDDEN, variables);
    }

    /** A message about this text, made elsewhere, without what came out of variables. */
    String redact(String message) {
        String redacted = message;
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            if (!variable.getValue().isEmpty()) {
                redacted = redacted.replace(variable.getValue(), "${" + variable.getKey() + "}");
            }
        }
        return redacted;
    }

    /** A value for messages: one short line, without the user and password that a URL may have. */
    static String printable(String value) {
        String open = PASSWORD_IN_URL.matcher(value).replaceFirst("://" + Secret.HIDDEN + "@");
        return printable(PASSWORD_BEFORE_HOST.matcher(open).replaceFirst(Secret.HIDDEN + "@"), LONGEST_SHOWN);
    }

    /** One line without control characters, so that no value can forge a line of the log. */
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
