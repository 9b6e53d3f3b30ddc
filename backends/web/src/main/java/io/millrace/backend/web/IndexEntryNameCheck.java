package io.millrace.backend.web;

import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;

/** Checks the names in an index, a server's page of the entries of a folder, which it may have got wrong. */
final class IndexEntryNameCheck {
    private IndexEntryNameCheck() {}

    /**
     * Returns the name if it is one of something directly below a folder: one component of a path, a folder's with a
     * slash after it.
     */
    static Optional<String> of(String name) {
        String component = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
        boolean sound = !component.isEmpty()
                && !component.equals(".")
                && !component.equals("..")
                && component.indexOf('/') < 0
                && isKey(component);
        return sound ? Optional.of(name) : Optional.empty();
    }

    private static boolean isKey(String text) {
        try {
            return !new ObjectKey(text).value().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
