package io.millrace.config.binding;

import java.util.Collection;
import java.util.List;

/** Joins words to a list in a sentence: {@code a, b or c}. */
final class ChoiceFormatter {
    private ChoiceFormatter() {}

    /** Returns {@code a}, {@code a or b}, or {@code a, b or c}. */
    static String join(Collection<String> choices) {
        List<String> list = List.copyOf(choices);
        int last = list.size() - 1;
        return last < 1 ? String.join("", list) : String.join(", ", list.subList(0, last)) + " or " + list.get(last);
    }
}
