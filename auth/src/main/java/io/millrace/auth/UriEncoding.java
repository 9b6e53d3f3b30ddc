package io.millrace.auth;

import java.nio.charset.StandardCharsets;

/**
 * Percent-encodes text as SigV4 requires: UTF-8 bytes other than RFC 3986's unreserved characters become {@code %XX} in
 * capitals. Apply it once, to decoded text.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">UriEncode()</a>
 */
public final class UriEncoding {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    private static final boolean[] UNRESERVED = unreserved();

    private UriEncoding() {}

    /** Encodes a path and keeps its slashes. */
    public static String ofPath(String path) {
        return encode(path, true);
    }

    /** Encodes a name or value of a query, including slashes. */
    public static String ofQuery(String text) {
        return encode(text, false);
    }

    private static String encode(String text, boolean keepSlash) {
        int plain = plainPrefix(text, keepSlash);
        if (plain == text.length()) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 32).append(text, 0, plain);
        for (byte octet : text.substring(plain).getBytes(StandardCharsets.UTF_8)) {
            if (isPlain((char) (octet & 0xFF), keepSlash)) {
                encoded.append((char) octet);
            } else {
                encoded.append('%').append(HEX[(octet >> 4) & 0xF]).append(HEX[octet & 0xF]);
            }
        }
        return encoded.toString();
    }

    private static int plainPrefix(String text, boolean keepSlash) {
        int i = 0;
        while (i < text.length() && isPlain(text.charAt(i), keepSlash)) {
            i++;
        }
        return i;
    }

    private static boolean isPlain(char c, boolean keepSlash) {
        return c < 128 && (UNRESERVED[c] || (keepSlash && c == '/'));
    }

    private static boolean[] unreserved() {
        boolean[] table = new boolean[128];
        for (char c = 0; c < 128; c++) {
            table[c] = (c >= 'A' && c <= 'Z')
                    || (c >= 'a' && c <= 'z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '.'
                    || c == '_'
                    || c == '~';
        }
        return table;
    }
}
