package io.millrace.backend.http;

/** Makes texts of others fit for logs: keys and the messages of servers. */
public final class PrintableText {
    private PrintableText() {}

    /** Returns the text on one line and without control characters. */
    public static String of(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            boolean hidden = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
            if (hidden) {
                line.append("\\u{%x}".formatted(c));
            } else {
                line.appendCodePoint(c);
            }
        });
        return line.toString();
    }
}
