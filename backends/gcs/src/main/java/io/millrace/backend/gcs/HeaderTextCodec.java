package io.millrace.backend.gcs;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Converts text between JSON, where it is Unicode, and HTTP headers, where each char is one byte of its UTF-8. */
final class HeaderTextCodec {
    private HeaderTextCodec() {}

    /** Returns the UTF-8 bytes of a text as characters. */
    static String fromText(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Returns the text whose UTF-8 bytes these characters are; empty if they are none. */
    static Optional<String> toText(String header) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(header.getBytes(StandardCharsets.ISO_8859_1));
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the text can be part of a header's name. */
    static boolean isName(String text) {
        return !text.isEmpty()
                && text.chars().allMatch(c -> c > ' ' && c < 0x7F && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0);
    }

    /** Returns whether the text can be a header's value. */
    static boolean isValue(String text) {
        return text.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7F));
    }
}
