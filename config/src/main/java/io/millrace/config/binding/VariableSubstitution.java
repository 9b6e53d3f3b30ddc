package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.SubstitutedText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Substitutes environment variables in a text: <code>${NAME}</code> becomes the variable's value, <code>$${</code>
 * becomes <code>${</code>, and any other dollar sign is literal. Substituted values are not searched again.
 */
final class VariableSubstitution {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Length limit of the result in characters, because a variable can be substituted many times. */
    private static final int LONGEST = 64 << 10;

    private final Map<String, String> environment;

    VariableSubstitution(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns the text of {@code scalar} with variables substituted. */
    SubstitutedText resolve(SettingsNode.Scalar scalar) throws InvalidValueException {
        SubstitutedText text = scalar.literal() ? SubstitutedText.plain(scalar.raw()) : replaced(scalar.raw());
        if (text.value().length() > LONGEST) {
            throw new InvalidValueException("is longer than " + LONGEST + " characters", "write a shorter value");
        }
        return text;
    }

    private SubstitutedText replaced(String raw) throws InvalidValueException {
        StringBuilder value = new StringBuilder();
        Map<String, String> variables = new LinkedHashMap<>();
        int from = 0;
        for (int open = raw.indexOf("${"); open >= 0; open = raw.indexOf("${", from)) {
            if (open > from && raw.charAt(open - 1) == '$') {
                value.append(raw, from, open - 1).append("${");
                from = open + 2;
            } else {
                String name = nameAt(raw, open + 2);
                variables.put(name, valueOf(name));
                value.append(raw, from, open).append(variables.get(name));
                from = open + name.length() + 3;
            }
            if (value.length() > LONGEST) {
                break;
            }
        }
        return new SubstitutedText(value.append(raw, from, raw.length()).toString(), raw, variables);
    }

    /**
     * Returns the name at {@code start}. The message does not repeat a malformed name, which may be part of a password.
     */
    private static String nameAt(String raw, int start) throws InvalidValueException {
        int close = raw.indexOf('}', start);
        if (close < 0) {
            throw new InvalidValueException(
                    "has ${ without a closing }", "write ${NAME}, or $${ for the two characters themselves");
        }
        String name = raw.substring(start, close);
        if (!NAME.matcher(name).matches()) {
            throw new InvalidValueException(
                    "has ${...} around something that is not a variable name",
                    "write ${NAME} with letters, digits and _ only, or $${ for the two characters themselves");
        }
        return name;
    }

    private String valueOf(String name) throws InvalidValueException {
        String value = environment.get(name);
        if (value == null) {
            throw new InvalidValueException(
                    "the environment variable " + name + " is not set",
                    "set it where Millrace is started, or write $${ for the two characters themselves");
        }
        return value;
    }
}
