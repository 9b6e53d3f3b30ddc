package io.millrace.config;

import java.util.Collection;
import java.util.List;

/** Writes choices as a sentence has them. */
final class OneOf {
    private OneOf() {}

    /** {@code a}, {@code a or b}, {@code a, b or c}. */
    static String words(Collection<String> choices) {
        List<String> list = List.copyOf(choices);
        int last = list.size() - 1;
        return last < 1 ? String.join("", list) : String.join(", ", list.subList(0, last)) + " or " + list.get(last);
    }
}
