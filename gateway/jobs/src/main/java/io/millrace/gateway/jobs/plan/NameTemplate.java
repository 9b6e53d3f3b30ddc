package io.millrace.gateway.jobs.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A template that stands for numbered names: {@code shard-{000..127}.tar} for 128 names. Several counters advance like
 * an odometer, the last one fastest. Immutable.
 */
public final class NameTemplate {
    /** The most names of a template. */
    static final long MOST = 1L << 40;

    private static final int LONGEST = 1024;
    private static final int MOST_COUNTERS = 8;
    private static final int MOST_DIGITS = 12;
    private static final Pattern COUNTER =
            Pattern.compile("\\{([0-9]{1,12})\\.\\.([0-9]{1,12})(?:\\.\\.([0-9]{1,9}))?}");

    private final String text;
    private final List<Object> parts;
    private final long count;

    private record Counter(long first, long step, long values, int width) {
        /** Returns true if the counter has this value in this spelling. */
        boolean counts(String digits) {
            if (!digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
                return false;
            }
            long value = Long.parseLong(digits);
            return value >= first
                    && (value - first) % step == 0
                    && (value - first) / step < values
                    && padded(value, width).equals(digits);
        }
    }

    private NameTemplate(String text, List<Object> parts, long count) {
        this.text = text;
        this.parts = parts;
        this.count = count;
    }

    /**
     * Parses a template.
     *
     * @throws IllegalArgumentException if the template is invalid or stands for too many names; the message names the
     *     error
     */
    public static NameTemplate parse(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            throw new IllegalArgumentException("a template has 1 to " + LONGEST + " characters");
        }
        List<Object> parts = new ArrayList<>();
        Matcher counters = COUNTER.matcher(text);
        int end = 0;
        long count = 1;
        int found = 0;
        while (counters.find()) {
            parts.add(literal(text.substring(end, counters.start())));
            Counter counter = counter(counters);
            parts.add(counter);
            count = times(count, counter.values());
            end = counters.end();
            if (++found > MOST_COUNTERS) {
                throw new IllegalArgumentException("a template has at most " + MOST_COUNTERS + " counters");
            }
        }
        if (found == 0) {
            throw new IllegalArgumentException("a template needs a counter: write one as {000..127}");
        }
        parts.add(literal(text.substring(end)));
        return new NameTemplate(text, List.copyOf(parts), count);
    }

    /** Returns the number of names. */
    public long count() {
        return count;
    }

    /**
     * Returns a name.
     *
     * @param index from 0
     */
    public String name(long index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException(index);
        }
        List<String> backwards = new ArrayList<>();
        long rest = index;
        for (int i = parts.size() - 1; i >= 0; i--) {
            if (parts.get(i) instanceof Counter counter) {
                long value = counter.first() + rest % counter.values() * counter.step();
                backwards.add(padded(value, counter.width()));
                rest /= counter.values();
            } else {
                backwards.add((String) parts.get(i));
            }
        }
        StringBuilder name = new StringBuilder();
        for (int i = backwards.size() - 1; i >= 0; i--) {
            name.append(backwards.get(i));
        }
        return name.toString();
    }

    /** Returns true if the template stands for this name. */
    public boolean has(String name) {
        return has(name, 0, 0);
    }

    /** Returns true if the rest of the name matches the parts from {@code part} on. */
    private boolean has(String name, int at, int part) {
        if (part == parts.size()) {
            return at == name.length();
        }
        if (!(parts.get(part) instanceof Counter counter)) {
            String literal = (String) parts.get(part);
            return name.startsWith(literal, at) && has(name, at + literal.length(), part + 1);
        }
        for (int end = at + counter.width(); end <= Math.min(name.length(), at + MOST_DIGITS); end++) {
            if (counter.counts(name.substring(at, end)) && has(name, end, part + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the template as written. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NameTemplate that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Refuses braces outside of counters, which are more likely a mistake than part of a name. */
    private static String literal(String part) {
        if (part.indexOf('{') >= 0 || part.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "\"%s\" has a brace outside of a counter: write {FIRST..LAST} or {FIRST..LAST..STEP} in digits"
                            .formatted(part));
        }
        return part;
    }

    private static Counter counter(Matcher found) {
        long first = Long.parseLong(found.group(1));
        long last = Long.parseLong(found.group(2));
        long step = found.group(3) == null ? 1 : Long.parseLong(found.group(3));
        if (last < first || step == 0) {
            throw new IllegalArgumentException(
                    found.group() + " counts down, or by nothing: write {FIRST..LAST..STEP}");
        }
        return new Counter(
                first, step, (last - first) / step + 1, found.group(1).length());
    }

    private static long times(long count, long values) {
        if (values > MOST / count) {
            throw new IllegalArgumentException("it stands for more than " + MOST + " names");
        }
        return count * values;
    }

    private static String padded(long value, int width) {
        String digits = Long.toString(value);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
