package io.millrace.gateway.cli;

/** Escapes control characters in text from elsewhere, so that it cannot control the terminal. */
final class TerminalEscaper {
    private TerminalEscaper() {}

    static String escape(String text) {
        if (text.chars().noneMatch(TerminalEscaper::isControl)) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (isControl(c)) {
                plain.append("\\u%04x".formatted(c));
            } else {
                plain.append((char) c);
            }
        });
        return plain.toString();
    }

    private static boolean isControl(int c) {
        return Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || c == '\u2028' || c == '\u2029';
    }
}
