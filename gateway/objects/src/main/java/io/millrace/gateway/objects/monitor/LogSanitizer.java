package io.millrace.gateway.objects.monitor;

/** Escapes untrusted text for one line of a log or terminal. */
public final class LogSanitizer {
    private static final int MAX = 2048;

    private LogSanitizer() {}

    /** Escapes quotes, backslashes and all characters that are not visible; truncates after 2,048 characters. */
    public static String escape(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < Math.min(text.length(), MAX); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (isInvisible(c)) {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return text.length() > MAX ? out.append('…').toString() : out.toString();
    }

    private static boolean isInvisible(char c) {
        int type = Character.getType(c);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.UNASSIGNED;
    }
}
