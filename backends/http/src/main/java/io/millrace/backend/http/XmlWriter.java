package io.millrace.backend.http;

import java.nio.charset.StandardCharsets;

/** Writes the XML document of a request, element by element. */
public final class XmlWriter {
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

    private final StringBuilder text = new StringBuilder();
    private final String root;

    public XmlWriter(String root) {
        this.root = root;
        text.append('<').append(root).append(" xmlns=\"").append(NAMESPACE).append("\">");
    }

    /** Returns whether servers read a text as written: XML cannot represent all characters, and some servers trim blanks. */
    public static boolean canRepresent(String value) {
        return value.equals(value.strip()) && value.codePoints().allMatch(XmlWriter::isPlain);
    }

    public XmlWriter open(String element) {
        text.append('<').append(element).append('>');
        return this;
    }

    public XmlWriter close(String element) {
        text.append("</").append(element).append('>');
        return this;
    }

    public XmlWriter element(String name, String value) {
        open(name);
        value.codePoints().forEach(this::escape);
        return close(name);
    }

    public byte[] bytes() {
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
