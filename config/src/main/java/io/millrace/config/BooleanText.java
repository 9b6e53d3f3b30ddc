package io.millrace.config;

import java.util.Locale;

/** {@code true} or {@code false}, and no other word: what {@code on} or {@code no} mean depends on the YAML version. */
final class BooleanText {
    private static final String REMEDY = "write true or false";

    static final ScalarShape SHAPE = new ScalarShape("true or false", REMEDY, (text, folder) -> parse(text.strip()));

    private BooleanText() {}

    private static boolean parse(String text) throws Unfit {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        String remedy = switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "y", "on", "1" -> "write true";
            case "false", "no", "n", "off", "0" -> "write false";
            default -> REMEDY;
        };
        throw new Unfit("is neither true nor false", remedy);
    }
}
