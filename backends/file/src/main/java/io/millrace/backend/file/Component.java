package io.millrace.backend.file;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What stands between two slashes of a key, and the file names that hold it. Nearly every component is its own name. The
 * others get names that begin with {@code %%}, so that no two components ever share one:
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
 * In such a name {@code %XX} stands for NUL, for {@code %} itself, and for a {@code +} or {@code ~} at its beginning. A name
 * that begins with {@code %%} and is not what {@link #names} gives for some component names nothing.
 */
final class Component {
    /** What begins every name that is not its own component. */
    static final String MARK = "%%";

    /** The file in a folder that holds the object whose key is the folder's, without the slash. */
    static final String SELF = MARK + "~";

    /** A folder at the top of a bucket for files that are not finished; it names no component, so no listing shows it. */
    static final String TEMPORARY = MARK + "tmp";

    private static final String CHUNK = MARK + "+";

    /** What Linux and macOS allow a name to have, in bytes. */
    private static final int LONGEST_NAME = 255;

    private static final int LONGEST_CHUNK = LONGEST_NAME - CHUNK.length();

    private Component() {}

    /** The names that hold {@code component}, outermost folder first: one, or more if it is too long for one. */
    static List<String> names(String component) {
        if (isItsOwnName(component)) {
            return List.of(component);
        }
        List<String> names = new ArrayList<>();
        String rest = component;
        while (!fits(rest)) {
            int end = endOfChunk(rest);
            names.add(CHUNK + escape(rest.substring(0, end)));
            rest = rest.substring(end);
        }
        names.add(lastName(rest));
        return names;
    }

    /** Whether {@code name} holds the beginning of a component that goes on in the folder of that name. */
    static boolean isChunk(String name) {
        return name.startsWith(CHUNK);
    }

    /** Whether {@code name}, as some file is called, is a component as it stands. */
    static boolean isPlain(String name) {
        return !name.startsWith(MARK);
    }

    /** The component, or the piece of one, that {@code name} holds; empty if it holds none. */
    static Optional<String> text(String name) {
        if (isPlain(name)) {
            return Optional.of(name);
        }
        return name.equals(SELF)
                ? Optional.empty()
                : unescape(name.substring(isChunk(name) ? CHUNK.length() : MARK.length()));
    }

    private static boolean isItsOwnName(String component) {
        return !component.isEmpty()
                && !component.equals(".")
                && !component.equals("..")
                && !component.startsWith(MARK)
                && component.indexOf('\0') < 0
                && bytes(component) <= LONGEST_NAME;
    }

    private static boolean fits(String rest) {
        return isItsOwnName(rest) || bytes(lastName(rest)) <= LONGEST_NAME;
    }

    private static String lastName(String rest) {
        if (isItsOwnName(rest)) {
            return rest;
        }
        // A first + or ~ would make this look like a chunk or like SELF.
        boolean led = rest.startsWith("+") || rest.startsWith("~");
        return MARK + (led ? hex(rest.charAt(0)) + escape(rest.substring(1)) : escape(rest));
    }

    /** As many characters as fit, never half of a surrogate pair: always the same cut for the same text. */
    private static int endOfChunk(String rest) {
        int bytes = 0;
        int end = 0;
        while (end < rest.length()) {
            int next = end + Character.charCount(rest.codePointAt(end));
            bytes += bytes(escape(rest.substring(end, next)));
            if (bytes > LONGEST_CHUNK) {
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
