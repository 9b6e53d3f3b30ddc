package io.millrace.gateway.jobs.plan;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.millrace.config.DataSize;
import java.time.Instant;
import java.util.Optional;

/**
 * Which of the objects that a source names a job is about. All that is said must hold; the glob is held against the key after its
 * prefix, the expression against the whole key. Expressions take linear time (RE2). Immutable.
 *
 * @param minSize at least so large
 * @param maxSize at most so large
 * @param since written at that time or later
 * @param before written before that time
 */
public record KeyFilter(
        Optional<Pattern> glob,
        Optional<Pattern> regex,
        Optional<DataSize> minSize,
        Optional<DataSize> maxSize,
        Optional<Instant> since,
        Optional<Instant> before) {
    /** Takes everything. */
    public static final KeyFilter ALL = new KeyFilter(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static final int LONGEST = 1024;
    /** A thousand characters, and some that are counted: a key is held against each instruction. */
    private static final int LARGEST = 4096;

    /**
     * The pattern of keys that begin with {@code prefix} and whose rest fits a glob. A slash right after the prefix is not part of the
     * rest, so that {@code train} and {@code train/} mean one folder.
     *
     * @throws IllegalArgumentException if it is none; the message says what is wrong
     */
    public static Pattern glob(String prefix, String text) {
        return KeyGlob.compile(prefix, bounded(text));
    }

    /**
     * An expression.
     *
     * @throws IllegalArgumentException if it is none; the message says what is wrong
     */
    public static Pattern regex(String text) {
        if (RegexSizeEstimator.of(bounded(text)) > LARGEST) {
            throw new IllegalArgumentException(
                    "is too large once its repetitions are written out, as those of {1000} are");
        }
        try {
            return Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "is not understood at \"" + e.getPattern() + "\": " + e.getDescription());
        }
    }

    /** Whether it asks for what only a list tells. */
    public boolean needsList() {
        return minSize.isPresent() || maxSize.isPresent() || since.isPresent() || before.isPresent();
    }

    /** Whether a job is about this object. What a list did not tell holds. */
    public boolean takes(PlanItem item) {
        return takesName(item.key().value()) && item.listed().map(this::takes).orElse(true);
    }

    /** Whether a key fits the expressions. */
    public boolean takesName(String key) {
        return glob.map(pattern -> pattern.matches(key)).orElse(true)
                && regex.map(pattern -> pattern.matches(key)).orElse(true);
    }

    private boolean takes(PlanItem.Listed listed) {
        return minSize.map(size -> listed.size() >= size.bytes()).orElse(true)
                && maxSize.map(size -> listed.size() <= size.bytes()).orElse(true)
                && since.map(time -> !listed.lastModified().isBefore(time)).orElse(true)
                && before.map(time -> listed.lastModified().isBefore(time)).orElse(true);
    }

    private static String bounded(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            throw new IllegalArgumentException("has 1 to " + LONGEST + " characters");
        }
        return text;
    }
}
