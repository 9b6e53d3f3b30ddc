package io.millrace.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Puts environment variables into a text: <code>${NAME}</code> is the variable's value, <code>$${</code> stands for
 * <code>${</code>, and any other dollar sign for itself. A value that was put in is not searched again.
 */
final class Substitution {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Longest result in characters: no key needs more, and a variable can be put in many times. */
    private static final int LONGEST = 64 << 10;

    private final Map<String, String> environment;

    Substitution(Map<String, String> environment) {
        this.environment = environment;
    }

    /** The text that {@code scalar} means. */
    Text resolve(Tree.Scalar scalar) throws Unfit {
        Text text = scalar.literal() ? Text.plain(scalar.raw()) : replaced(scalar.raw());
        if (text.value().length() > LONGEST) {
            throw new Unfit("is longer than " + LONGEST + " characters", "write a shorter value");
        }
        return text;
    }

    private Text replaced(String raw) throws Unfit {
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
        return new Text(value.append(raw, from, raw.length()).toString(), raw, variables);
    }

    /** Malformed ones are not repeated in the message: they may be part of a password. */
    private static String nameAt(String raw, int start) throws Unfit {
        int close = raw.indexOf('}', start);
        if (close < 0) {
            throw new Unfit("has ${ without a closing }", "write ${NAME}, or $${ for the two characters themselves");
        }
        String name = raw.substring(start, close);
        if (!NAME.matcher(name).matches()) {
            throw new Unfit(
                    "has ${...} around something that is no variable name",
                    "write ${NAME} with letters, digits and _ only, or $${ for the two characters themselves");
        }
        return name;
    }

    private String valueOf(String name) throws Unfit {
        String value = environment.get(name);
        if (value == null) {
            throw new Unfit(
                    "the environment variable " + name + " is not set",
                    "set it where Millrace is started, or write $${ for the two characters themselves");
        }
        return value;
    }
}
