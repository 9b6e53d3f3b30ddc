package io.millrace.gateway.jobs.plan;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Locale;

/**
 * Translates a glob into a regular expression: {@code *} and {@code ?} stay within a folder, {@code **} does not,
 * {@code **}{@code /} also matches no folder at all; {@code [a-z]}, {@code [!a-z]} and {@code {jpg,png}} are as in a
 * shell, and a backslash escapes the next character.
 */
final class KeyGlob {
    private final String glob;
    private final StringBuilder expression = new StringBuilder();
    private int at;
    private int open;

    private KeyGlob(String glob) {
        this.glob = glob;
    }

    /**
     * Compiles a glob after a prefix into an expression that matches in linear time.
     *
     * @throws IllegalArgumentException if the glob is invalid; the message names the error
     */
    static Pattern compile(String prefix, String glob) {
        KeyGlob parsed = new KeyGlob(glob);
        parsed.expression.append(Pattern.quote(prefix));
        if (!prefix.isEmpty() && !prefix.endsWith("/")) {
            parsed.expression.append("/?");
        }
        parsed.parse();
        try {
            return Pattern.compile(parsed.expression.toString(), Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "is not understood: " + e.getDescription().toLowerCase(Locale.ROOT));
        }
    }

    private void parse() {
        while (at < glob.length()) {
            char c = glob.charAt(at++);
            switch (c) {
                case '*' -> star();
                case '?' -> expression.append("[^/]");
                case '[' -> characters();
                case '{' -> {
                    open++;
                    expression.append("(?:");
                }
                case '}' -> close();
                case ',' -> expression.append(open > 0 ? "|" : ",");
                case '\\' -> escaped();
                default -> literal(c);
            }
        }
        if (open > 0) {
            throw new IllegalArgumentException("has a { without its }");
        }
    }

    private void star() {
        if (!is('*')) {
            expression.append("[^/]*");
            return;
        }
        at++;
        if (is('/')) {
            at++;
            expression.append("(?:.*/)?");
        } else {
            expression.append(".*");
        }
    }

    private void characters() {
        int end = glob.indexOf(']', at + 1);
        if (end < 0) {
            throw new IllegalArgumentException("has a [ without its ]");
        }
        expression.append('[');
        if (is('!') || is('^')) {
            at++;
            expression.append("^/");
        }
        glob.substring(at, end)
                .codePoints()
                .forEach(c -> expression.append(c == '-' ? "-" : Pattern.quote(Character.toString(c))));
        at = end;
        expression.append(']');
        at++;
    }

    private void close() {
        if (open == 0) {
            throw new IllegalArgumentException("has a } without its {");
        }
        open--;
        expression.append(')');
    }

    private void escaped() {
        if (at == glob.length()) {
            throw new IllegalArgumentException("ends in a backslash");
        }
        literal(glob.charAt(at++));
    }

    private void literal(char c) {
        // Quoting splits surrogate pairs.
        if (Character.isSurrogate(c)) {
            expression.append(c);
        } else {
            expression.append(Pattern.quote(String.valueOf(c)));
        }
    }

    private boolean is(char c) {
        return at < glob.length() && glob.charAt(at) == c;
    }
}
