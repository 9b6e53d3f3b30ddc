package io.millrace.gateway.jobs.plan;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How large a program an expression becomes, told before it is made: counted repetitions are written out, those within others
 * many times over, so that {@code ((a{1000}){1000}){1000}} would take all the memory there is. Not less than RE2 makes of it.
 */
final class RegexSizeEstimator {
    private static final Pattern REPETITION = Pattern.compile("\\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?}");
    /** What any size beyond this is told as: there is no use in telling them apart. */
    private static final long MOST = 1L << 40;

    private final String text;
    /** Sizes of the groups around. */
    private final Deque<Long> outside = new ArrayDeque<>();

    private long group;
    private long last;
    private int at;

    private RegexSizeEstimator(String text) {
        this.text = text;
    }

    /** Instructions, about; of what is no expression, anything. */
    static long of(String expression) {
        RegexSizeEstimator size = new RegexSizeEstimator(expression);
        size.read();
        return size.outside.stream().mapToLong(Long::longValue).sum() + size.group;
    }

    private void read() {
        while (at < text.length()) {
            char c = text.charAt(at++);
            switch (c) {
                case '\\' -> escaped();
                case '[' -> characters();
                case '(' -> {
                    outside.push(group);
                    group = 0;
                }
                case ')' -> endOfGroup();
                case '{' -> repeated();
                default -> atom(3);
            }
        }
    }

    private void atom(long size) {
        last = size;
        group += size;
    }

    private void endOfGroup() {
        last = group + 3;
        group = last + (outside.isEmpty() ? 0 : outside.pop());
    }

    /** A brace that counts nothing stands for itself. */
    private void repeated() {
        Matcher counts = REPETITION.matcher(text).region(at - 1, text.length());
        if (!counts.lookingAt()) {
            atom(2);
            return;
        }
        at = counts.end();
        int least = Integer.parseInt(counts.group(1));
        int most = counts.group(3) == null ? least : Integer.parseInt(counts.group(3));
        // Each that may be left out, and one that goes on for ever, has a branch besides.
        long all = Math.min(MOST, (last + 1) * (Math.max(least, most) + 1L));
        group = Math.min(MOST, group - last + all);
        last = all;
    }

    /** Between \Q and \E all stands for itself. */
    private void escaped() {
        if (text.startsWith("Q", at)) {
            int end = text.indexOf("\\E", at);
            int quoted = (end < 0 ? text.length() : end) - at - 1;
            at = end < 0 ? text.length() : end + 2;
            group += 2L * quoted;
            last = 2;
        } else {
            at++;
            atom(2);
        }
    }

    /** A class of characters is one, however much is in it. */
    private void characters() {
        if (text.startsWith("^", at)) {
            at++;
        }
        if (text.startsWith("]", at)) {
            at++;
        }
        while (at < text.length() && text.charAt(at) != ']') {
            int named = text.startsWith("[:", at) ? text.indexOf(":]", at + 2) : -1;
            at = named >= 0 ? named + 2 : at + (text.charAt(at) == '\\' ? 2 : 1);
        }
        at++;
        atom(2);
    }
}
