package io.millrace.config;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A choice between words: the constants of an enum in lower case, with dashes. */
final class EnumText {
    private EnumText() {}

    /** The choice between the constants of {@code type}. */
    static ScalarShape shape(Class<?> type) {
        Map<String, Object> constants = new LinkedHashMap<>();
        Arrays.stream(type.getEnumConstants()).forEach(constant -> constants.put(word(constant), constant));
        String choice = OneOf.words(constants.keySet());
        String word = OneOf.words(
                constants.keySet().stream().map(name -> "`" + name + "`").toList());
        return new ScalarShape(word, "write " + choice, (text, folder) -> parse(text.strip(), constants));
    }

    private static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Object parse(String text, Map<String, Object> constants) throws Unfit {
        Object constant = constants.get(text);
        if (constant == null) {
            String near = Nearest.of(text, constants.keySet())
                    .map(word -> "did you mean " + word + "? ")
                    .orElse("");
            throw new Unfit("is none of the known words", near + "write " + OneOf.words(constants.keySet()));
        }
        return constant;
    }
}
