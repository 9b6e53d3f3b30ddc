package io.millrace.backend.file;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes a component of a key, the text between two slashes, as file names and decodes it again. Nearly every
 * component is its own name. The others get names that begin with {@code %%}, so that no two components ever share one:
 *
 * <pre>
 *   component                            names
 *   (empty)                              %%
 *   .                                    %%.
 *   ..                                   %%..
 *   %%a                                  %%%25%25a          it would look like one of these
 *   a NUL b                              %%a%00b
 *   x repeated 300 times                 %%+xx…x / xx…x     252 bytes in a folder, the rest in it
 * </pre>
 *
 * <p>In such a name {@code %XX} stands for NUL, for {@code %} itself, and for a {@code +} or {@code ~} at its
 * beginning. A name that begins with {@code %%} and is not the result of {@link #encode} for some component is no
 * component.
 */
final class KeyComponentCodec {
    /** Beginning of every encoded name. */
    static final String ESCAPE_PREFIX = "%%";

    /** Name of the file that holds the object whose key is the folder's, without the slash. */
    static final String FOLDER_OBJECT = ESCAPE_PREFIX + "~";

    /**
     * Name of a folder at the top of a bucket for unfinished files; it encodes no component, so no listing shows it.
     */
    static final String TEMPORARY_FOLDER = ESCAPE_PREFIX + "tmp";

    private static final String CHUNK_PREFIX = ESCAPE_PREFIX + "+";

    /** Longest file name of Linux and macOS, in bytes. */
    private static final int MAX_NAME_BYTES = 255;

    private static final int MAX_CHUNK_BYTES = MAX_NAME_BYTES - CHUNK_PREFIX.length();

    private KeyComponentCodec() {}

    /** Encodes a component as names, outermost folder first: one, or more if it is too long for one. */
    static List<String> encode(String component) {
        if (needsNoEncoding(component)) {
            return List.of(component);
        }
        List<String> names = new ArrayList<>();
        String rest = component;
        while (!fits(rest)) {
            int end = endOfChunk(rest);
            names.add(CHUNK_PREFIX + escape(rest.substring(0, end)));
            rest = rest.substring(end);
        }
        names.add(lastName(rest));
        return names;
    }

    /** Returns whether {@code name} holds the beginning of a component that continues in the folder of that name. */
    static boolean isChunk(String name) {
        return name.startsWith(CHUNK_PREFIX);
    }

    /** Returns whether {@code name} is a component as it stands. */
    static boolean isLiteral(String name) {
        return !name.startsWith(ESCAPE_PREFIX);
    }

    /** Decodes the component, or the part of one, that {@code name} holds; empty if it holds none. */
    static Optional<String> decode(String name) {
        if (isLiteral(name)) {
            return Optional.of(name);
        }
        return name.equals(FOLDER_OBJECT)
                ? Optional.empty()
                : unescape(name.substring(isChunk(name) ? CHUNK_PREFIX.length() : ESCAPE_PREFIX.length()));
    }

    private static boolean needsNoEncoding(String component) {
        return !component.isEmpty()
                && !component.equals(".")
                && !component.equals("..")
                && !component.startsWith(ESCAPE_PREFIX)
                && component.indexOf('\0') < 0
                && bytes(component) <= MAX_NAME_BYTES;
    }

    private static boolean fits(String rest) {
        return needsNoEncoding(rest) || bytes(lastName(rest)) <= MAX_NAME_BYTES;
    }

    private static String lastName(String rest) {
        if (needsNoEncoding(rest)) {
            return rest;
        }
        // A first + or ~ would make this look like a chunk or like SELF.
        boolean led = rest.startsWith("+") || rest.startsWith("~");
        return ESCAPE_PREFIX + (led ? hex(rest.charAt(0)) + escape(rest.substring(1)) : escape(rest));
    }

    /**
     * Returns the end of the longest prefix that fits, never in the middle of a surrogate pair: always the same for the
     * same text.
     */
    private static int endOfChunk(String rest) {
        int bytes = 0;
        int end = 0;
        while (end < rest.length()) {
            int next = end + Character.charCount(rest.codePointAt(end));
            bytes += bytes(escape(rest.substring(end, next)));
            if (bytes > MAX_CHUNK_BYTES) {
                break;
            }
            end = next;
        }
        return end;
    }

    private static String escape(String text) {
        return text.replace("%", "%25").replace("\0", "%00");
    }

    private static String hex(char c) {
        return "%%%02X".formatted((int) c);
    }

    private static Optional<String> unescape(String escaped) {
        StringBuilder text = new StringBuilder(escaped.length());
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == '%') {
                if (i + 2 >= escaped.length()) {
                    return Optional.empty();
                }
                int high = Character.digit(escaped.charAt(i + 1), 16);
                int low = Character.digit(escaped.charAt(i + 2), 16);
                if (high < 0 || low < 0) {
                    return Optional.empty();
                }
                c = (char) (high << 4 | low);
                i += 2;
            }
            text.append(c);
        }
        return Optional.of(text.toString());
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
