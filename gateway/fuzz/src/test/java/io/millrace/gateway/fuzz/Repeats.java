package io.millrace.gateway.fuzz;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets a short input stand for a long one: <code>{{9|ab}}</code> is nine times {@code ab}. */
final class Repeats {
    private static final Pattern REPEAT = Pattern.compile("\\{\\{([0-9]{1,5})\\|([^{}]{1,200})}}");

    private Repeats() {}

    /** {@code text} with what repeats written out, as far as there is room for it. */
    static String writtenOut(String text, int room) {
        if (!text.contains("{{")) {
            return text;
        }
        StringBuilder out = new StringBuilder();
        int left = room - text.length();
        Matcher repeat = REPEAT.matcher(text);
        int from = 0;
        while (repeat.find()) {
            String what = repeat.group(2);
            int times = Math.max(0, Math.min(Integer.parseInt(repeat.group(1)), left / what.length()));
            left -= times * what.length();
            out.append(text, from, repeat.start()).append(what.repeat(times));
            from = repeat.end();
        }
        return out.append(text, from, text.length()).toString();
    }
}
