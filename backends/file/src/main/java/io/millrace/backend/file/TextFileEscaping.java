package io.millrace.backend.file;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** The escaping of values inside text files: printable ASCII, with every other byte of the UTF-8 as {@code %XX}. */
final class TextFileEscaping {
    private TextFileEscaping() {}

    /**
     * Encodes the UTF-8 bytes of a text in printable ASCII.
     *
     * @param special one more character to write as {@code %XX}, because it means something where the text goes
     */
    static String encode(String text, char special) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            if (c < ' ' || c > '~' || c == '%' || c == special) {
                encoded.append("%%%02X".formatted((int) c));
            } else {
                encoded.append(c);
            }
        }
        return encoded.toString();
    }

    /**
     * Decodes a text that {@link #encode} has made.
     *
     * @throws IllegalArgumentException if a {@code %} is not followed by two digits
     * @throws IndexOutOfBoundsException if the text ends after a {@code %}
     */
    static String decode(String encoded) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                bytes.write(Integer.parseInt(encoded.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
