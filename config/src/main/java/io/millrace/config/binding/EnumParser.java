package io.millrace.config.binding;

import io.millrace.config.problem.ClosestMatch;
import io.millrace.config.problem.InvalidValueException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Parses enum constants, written in lower case with dashes. */
final class EnumParser {
    private EnumParser() {}

    /** Returns the shape for the constants of {@code type}. */
    static ValueType type(Class<?> type) {
        Map<String, Object> constants = new LinkedHashMap<>();
        Arrays.stream(type.getEnumConstants()).forEach(constant -> constants.put(word(constant), constant));
        String choice = ChoiceFormatter.join(constants.keySet());
        String word = ChoiceFormatter.join(
                constants.keySet().stream().map(name -> "`" + name + "`").toList());
        return new ValueType(word, "write " + choice, (text, folder) -> parse(text.strip(), constants));
    }

    private static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Object parse(String text, Map<String, Object> constants) throws InvalidValueException {
        Object constant = constants.get(text);
        if (constant == null) {
            String near = ClosestMatch.find(text, constants.keySet())
                    .map(word -> "did you mean " + word + "? ")
                    .orElse("");
            throw new InvalidValueException(
                    "is not one of the allowed words", near + "write " + ChoiceFormatter.join(constants.keySet()));
        }
        return constant;
    }
}
