package io.millrace.backend.s3;

import java.nio.charset.StandardCharsets;

/** Writes the XML of requests, element by element. */
final class XmlText {
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

    private final StringBuilder text = new StringBuilder();
    private final String root;

    XmlText(String root) {
        this.root = root;
        text.append('<').append(root).append(" xmlns=\"").append(NAMESPACE).append("\">");
    }

    /** Whether a text is read as it was written. XML cannot say all characters, and servers trim what stands at the edges. */
    static boolean canSay(String value) {
        return value.equals(value.strip()) && value.codePoints().allMatch(XmlText::isPlain);
    }

    XmlText open(String element) {
        text.append('<').append(element).append('>');
        return this;
    }

    XmlText close(String element) {
        text.append("</").append(element).append('>');
        return this;
    }

    XmlText element(String name, String value) {
        open(name);
        value.codePoints().forEach(this::escape);
        return close(name);
    }

    byte[] bytes() {
        return (text + "</" + root + ">").getBytes(StandardCharsets.UTF_8);
    }

    private void escape(int c) {
        switch (c) {
            case '&' -> text.append("&amp;");
            case '<' -> text.append("&lt;");
            case '>' -> text.append("&gt;");
            case '"' -> text.append("&quot;");
            default -> text.appendCodePoint(c);
        }
    }

    private static boolean isPlain(int c) {
        boolean control = c < ' ' || (c >= 0x7F && c <= 0x9F);
        return !control && c != 0x2028 && c != 0xFFFE && c != 0xFFFF;
    }
}
