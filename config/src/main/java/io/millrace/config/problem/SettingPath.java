package io.millrace.config.problem;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Functions on the paths of settings keys, such as {@code cache.disks[0].path}; the root is empty. */
public final class SettingPath {
    /** The form of a key. If other characters follow, the value may have run into the key. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_.-]{1,32}");

    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private SettingPath() {}

    /** Returns the path of the key or entry {@code name} below {@code parent}. */
    public static String child(String parent, String name) {
        return parent.isEmpty() ? name : parent + "." + name;
    }

    /** Returns the path of element {@code index} of the list at {@code parent}. */
    public static String element(String parent, int index) {
        return parent + "[" + index + "]";
    }

    /** Appends a relative path to {@code parent}; either may be empty. */
    static String join(String parent, String relative) {
        return relative.isEmpty() || relative.startsWith("[") ? parent + relative : child(parent, relative);
    }

    /** Returns the path one level up; the root for the root. */
    static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    /** Whether {@code path} equals {@code other} or is below it. */
    static boolean isWithin(String path, String other) {
        return other.isEmpty() || path.equals(other) || path.startsWith(other + ".") || path.startsWith(other + "[");
    }

    /** Formats a key of the file for messages. */
    public static String printableKey(String key) {
        Matcher word = WORD.matcher(key);
        boolean begins = word.lookingAt();
        return begins && word.end() == key.length() ? key : (begins ? word.group() : "") + "…";
    }

    /** Converts {@code blockSize} to {@code block-size}. */
    public static String kebab(String camelCase) {
        return HUMP.matcher(camelCase).replaceAll("-").toLowerCase(Locale.ROOT);
    }
}
