package io.millrace.config;

/** Key paths as messages write them: {@code cache.disks[0].path}; the root is empty. */
final class KeyPath {
    private KeyPath() {}

    /** The key or entry {@code name} below {@code parent}. */
    static String child(String parent, String name) {
        return parent.isEmpty() ? name : parent + "." + name;
    }

    /** Element {@code index} of the list at {@code parent}. */
    static String element(String parent, int index) {
        return parent + "[" + index + "]";
    }

    /** A relative path below {@code parent}; either may be empty. */
    static String join(String parent, String relative) {
        return relative.isEmpty() || relative.startsWith("[") ? parent + relative : child(parent, relative);
    }

    /** The path one step up; the root's is the root. */
    static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    /** Whether {@code path} is {@code other} or lies below it. */
    static boolean isWithin(String path, String other) {
        return other.isEmpty() || path.equals(other) || path.startsWith(other + ".") || path.startsWith(other + "[");
    }
}
