package io.millrace.kit;

/** Decides which texts survive in an XML document. */
public final class XmlText {
    private XmlText() {}

    /**
     * Returns whether XML 1.0 can represent each character, at least as a reference. A document with any other is
     * malformed.
     */
    public static boolean isRepresentable(String text) {
        return text.codePoints().allMatch(XmlText::isCharacter);
    }

    /**
     * Returns the text with U+FFFD for each character that XML 1.0 cannot represent: for people to read, not for
     * clients to use.
     */
    public static String representable(String text) {
        if (isRepresentable(text)) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> clean.appendCodePoint(isCharacter(c) ? c : 0xFFFD));
        return clean.toString();
    }

    /**
     * Returns whether every parser reads this text as written: some trim blanks, and some normalize control characters.
     */
    public static boolean isReadAsWritten(String text) {
        return text.equals(text.strip()) && text.codePoints().allMatch(XmlText::isPlain);
    }

    /** @see <a href="https://www.w3.org/TR/xml/#charsets">Char</a> */
    private static boolean isCharacter(int c) {
        return c == '\t'
                || c == '\n'
                || c == '\r'
                || (c >= ' '
                        && c != 0xFFFE
                        && c != 0xFFFF
                        && (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE));
    }

    private static boolean isPlain(int c) {
        boolean control = c < ' ' || (c >= 0x7F && c <= 0x9F);
        return !control && c != 0x2028 && isCharacter(c);
    }
}
