package io.millrace.gateway.cli;

/** Names and messages of others as a terminal may show them: what would move its cursor is written out. */
final class PlainText {
    private PlainText() {}

    static String of(String text) {
        if (text.chars().noneMatch(PlainText::steers)) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (steers(c)) {
                plain.append("\\u%04x".formatted(c));
            } else {
                plain.append((char) c);
            }
        });
        return plain.toString();
    }

    private static boolean steers(int c) {
        return Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || c == '\u2028' || c == '\u2029';
    }
}
