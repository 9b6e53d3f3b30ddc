package io.millrace.backend.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Decodes paths of URLs and refuses those that servers could understand differently. */
final class UrlPathDecoder {
    /** Dot segments, including parameters after a semicolon, which some servers drop. */
    private static final Pattern DOTS = Pattern.compile("(^|/)\\.\\.?(;[^/]*)?(/|$)");

    private static final Pattern TWICE_ENCODED = Pattern.compile("%(2[eEfF]|5[cC]|00)");

    private static final Pattern ENCODED_SLASH = Pattern.compile("%2[fF]");

    private UrlPathDecoder() {}

    /**
     * Decodes a path.
     *
     * @throws IllegalArgumentException if the path is ambiguous; the message gives the cause
     */
    static String decoded(String path) {
        if (hasEncodedSlash(path)) {
            throw new IllegalArgumentException("has an encoded slash in its path");
        }
        return decodedWithSlashes(path);
    }

    /** Returns whether the path has a slash that servers may take for one that divides it, or not. */
    static boolean hasEncodedSlash(String path) {
        return ENCODED_SLASH.matcher(path).find();
    }

    /**
     * Decodes a path in which encoded slashes are not told from others.
     *
     * @throws IllegalArgumentException if the path is ambiguous otherwise
     */
    static String decodedWithSlashes(String path) {
        String text = utf8(bytes(path));
        if (text.chars().anyMatch(c -> c < ' ' || c == 0x7F || c == '\\')) {
            throw new IllegalArgumentException("has a control character or a backslash in its path");
        }
        if (DOTS.matcher(text).find()) {
            throw new IllegalArgumentException("has a . or .. in its path: write what it leads to");
        }
        if (TWICE_ENCODED.matcher(text).find()) {
            throw new IllegalArgumentException("has an escape of an escape in its path");
        }
        return text;
    }

    private static ByteBuffer bytes(String path) {
        ByteBuffer bytes = ByteBuffer.allocate(3 * path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c != '%') {
                bytes.put(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
                continue;
            }
            int high = i + 2 < path.length() ? Character.digit(path.charAt(i + 1), 16) : -1;
            int low = i + 2 < path.length() ? Character.digit(path.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0) {
                throw new IllegalArgumentException("has a % in its path that is not an escape: write %25");
            }
            bytes.put((byte) (high << 4 | low));
            i += 2;
        }
        return bytes.flip();
    }

    private static String utf8(ByteBuffer bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("has a path that is not UTF-8");
        }
    }
}
