package io.millrace.gateway.jobs.plan;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.millrace.config.DataSize;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Filters the objects of a selection by key, size and date; all conditions must hold. The glob matches the key after
 * its prefix, the regular expression the whole key. Matching takes linear time (RE2). Immutable.
 *
 * @param minSize inclusive
 * @param maxSize inclusive
 * @param since earliest write time, inclusive
 * @param before latest write time, exclusive
 */
public record ObjectFilter(
        Optional<Pattern> glob,
        Optional<Pattern> regex,
        Optional<DataSize> minSize,
        Optional<DataSize> maxSize,
        Optional<Instant> since,
        Optional<Instant> before) {
    /** Accepts every object. */
    public static final ObjectFilter ALL = new ObjectFilter(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static final int LONGEST = 1024;
    /**
     * Instructions of a thousand characters and some counted repetitions. Matching a key costs at most this for each of
     * its characters.
     */
    private static final int LARGEST = 4096;
    /** Bytes of an instruction, about. */
    private static final long INSTRUCTION = 64;
    /** The most instructions of a character of a glob. */
    private static final long PER_CHARACTER = 3;

    /**
     * Compiles a glob for keys that begin with {@code prefix}. A slash right after the prefix does not count, so that
     * {@code train} and {@code train/} mean one folder.
     *
     * @throws IllegalArgumentException if the glob is invalid; the message names the error
     */
    public static Pattern glob(String prefix, String text) {
        return KeyGlob.compile(prefix, bounded(text));
    }

    /**
     * Compiles a regular expression.
     *
     * @throws IllegalArgumentException if the expression is invalid; the message names the error
     */
    public static Pattern regex(String text) {
        if (RegexSizeEstimator.of(bounded(text)) > LARGEST) {
            throw new IllegalArgumentException("is too large once repetitions such as {1000} are expanded");
        }
        try {
            return Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "is not understood at \"" + e.getPattern() + "\": " + e.getDescription());
        }
    }

    /** Returns the bytes of memory that the compiled patterns of valid texts take, about. */
    public static long weight(@Nullable String prefix, @Nullable String glob, @Nullable String regex) {
        long folder = prefix == null ? 0 : prefix.length();
        long ofGlob = glob == null ? 0 : PER_CHARACTER * (folder + glob.length());
        return INSTRUCTION * (ofGlob + (regex == null ? 0 : RegexSizeEstimator.of(regex)));
    }

    /** Returns true if the filter needs sizes or dates, which only listings have. */
    public boolean needsList() {
        return minSize.isPresent() || maxSize.isPresent() || since.isPresent() || before.isPresent();
    }

    /** Returns true if the object passes. Sizes and dates that are unknown pass. */
    public boolean takes(PlanItem item) {
        return takesName(item.key().value()) && item.listed().map(this::takes).orElse(true);
    }

    /** Returns true if the key matches the glob and the regular expression. */
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
