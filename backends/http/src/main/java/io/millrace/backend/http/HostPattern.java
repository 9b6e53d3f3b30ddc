package io.millrace.backend.http;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A host of URLs: a name, an address, or all subdomains of a name.
 *
 * @param text in lower case; begins with {@code *.} for subdomains
 */
record HostPattern(String text) {
    private static final Pattern SYNTAX =
            Pattern.compile("(\\*\\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\\[?[0-9a-f:.]*:[0-9a-f:.]*]?");

    /**
     * Checks the syntax.
     *
     * @throws IllegalArgumentException if it is no pattern; the message says what it is
     */
    HostPattern {
        text = text.strip().toLowerCase(Locale.ROOT);
        if (!SYNTAX.matcher(text).matches()) {
            throw new IllegalArgumentException("is no host: write a name, an address, or *. and a name");
        }
        text = withoutBrackets(text);
    }

    boolean matches(String host) {
        String plain = withoutBrackets(host.toLowerCase(Locale.ROOT));
        return text.startsWith("*.") ? plain.endsWith(text.substring(1)) : plain.equals(text);
    }

    private static String withoutBrackets(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
