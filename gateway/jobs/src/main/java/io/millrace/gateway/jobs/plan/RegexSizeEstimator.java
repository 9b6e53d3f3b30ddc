package io.millrace.gateway.jobs.plan;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Estimates the size of the program of a regular expression before it is compiled. RE2 expands counted repetitions, so
 * nested ones such as {@code ((a{1000}){1000}){1000}} would exhaust the memory. Never below the real size.
 */
final class RegexSizeEstimator {
    private static final Pattern REPETITION = Pattern.compile("\\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?}");
    /** The cap of the estimate, which prevents overflow. */
    private static final long MOST = 1L << 40;

    private final String text;
    /** Sizes of the enclosing groups. */
    private final Deque<Long> outside = new ArrayDeque<>();

    private long group;
    private long last;
    private int at;

    private RegexSizeEstimator(String text) {
        this.text = text;
    }

    /** Returns the approximate number of instructions; any number for an invalid expression. */
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

    /** Handles a brace, which is a literal if it is no repetition. */
    private void repeated() {
        Matcher counts = REPETITION.matcher(text).region(at - 1, text.length());
        if (!counts.lookingAt()) {
            atom(2);
            return;
        }
        at = counts.end();
        int minimum = Integer.parseInt(counts.group(1));
        int maximum = counts.group(3) == null ? minimum : Integer.parseInt(counts.group(3));
        // Optional and unbounded repetitions add a branch each.
        long all = Math.min(MOST, (last + 1) * (Math.max(minimum, maximum) + 1L));
        group = Math.min(MOST, group - last + all);
        last = all;
    }

    /** Handles an escape; all characters between \Q and \E are literals. */
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

    /** Handles a character class, which counts as one character. */
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
