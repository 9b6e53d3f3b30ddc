package io.millrace.backend.spi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a server that takes keys for paths makes of one. A key is no path, and S3 folds none; but there are servers that do, so
 * whatever guards a part of a bucket holds it against both readings.
 */
public final class KeyFolding {
    private static final Pattern SLASHES = Pattern.compile("//+");

    private KeyFolding() {}

    /** The same text where no component is {@code .} or {@code ..}; empty where nothing is left. */
    public static String folded(String key) {
        if (!mayFold(key)) {
            return key;
        }
        Deque<String> kept = new ArrayDeque<>();
        boolean folds = false;
        for (String component : key.split("/", -1)) {
            if (component.equals("..")) {
                kept.pollLast();
                folds = true;
            } else if (component.equals(".")) {
                folds = true;
            } else if (!component.isEmpty()) {
                kept.addLast(component);
            }
        }
        return folds ? String.join("/", kept) + (key.endsWith("/") && !kept.isEmpty() ? "/" : "") : key;
    }

    /**
     * The other key that such a server takes this one for: without {@code .} and {@code ..}, and without empty components in front
     * or between. Empty if it is this one, or none at all.
     */
    public static Optional<ObjectKey> other(ObjectKey key) {
        String text = key.value();
        if (!mayFold(text) && !text.startsWith("/") && !text.contains("//")) {
            return Optional.empty();
        }
        String path = SLASHES.matcher(folded(text)).replaceAll("/");
        String other = path.startsWith("/") ? path.substring(1) : path;
        return other.isEmpty() || other.equals(text) ? Optional.empty() : Optional.of(new ObjectKey(other));
    }

    private static boolean mayFold(String key) {
        return key.startsWith(".") || key.contains("/.");
    }
}
