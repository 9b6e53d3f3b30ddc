package io.millrace.backend.spi.object;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Resolves {@code .}, {@code ..} and repeated slashes in object keys, as servers do that take keys for paths. S3 does
 * not normalize keys; but some servers do, so access rules for a part of a bucket must check a key in both forms.
 */
public final class KeyPathNormalizer {
    private static final Pattern SLASHES = Pattern.compile("//+");

    private KeyPathNormalizer() {}

    /**
     * Resolves the components {@code .} and {@code ..}; returns the same text if there are none, and an empty one if
     * nothing remains.
     */
    public static String normalize(String key) {
        if (!hasDotSegments(key)) {
            return key;
        }
        Deque<String> components = new ArrayDeque<>();
        boolean folds = false;
        for (String component : key.split("/", -1)) {
            if (component.equals("..")) {
                components.pollLast();
                folds = true;
            } else if (component.equals(".")) {
                folds = true;
            } else if (!component.isEmpty()) {
                components.addLast(component);
            }
        }
        return folds ? String.join("/", components) + (key.endsWith("/") && !components.isEmpty() ? "/" : "") : key;
    }

    /**
     * Returns the other key that such a server takes this one for: without {@code .} and {@code ..}, and without empty
     * components at the start or in between. Empty if it is the same key or no key at all.
     */
    public static Optional<ObjectKey> alias(ObjectKey key) {
        String text = key.value();
        if (!hasDotSegments(text) && !text.startsWith("/") && !text.contains("//")) {
            return Optional.empty();
        }
        String other = collapse(normalize(text));
        return other.isEmpty() || other.equals(text) ? Optional.empty() : Optional.of(new ObjectKey(other));
    }

    /** Returns a key or prefix without empty components at the start or in between, as such a server reads it. */
    public static String collapse(String text) {
        String path = SLASHES.matcher(text).replaceAll("/");
        return path.startsWith("/") ? path.substring(1) : path;
    }

    private static boolean hasDotSegments(String key) {
        return key.startsWith(".") || key.contains("/.");
    }
}
