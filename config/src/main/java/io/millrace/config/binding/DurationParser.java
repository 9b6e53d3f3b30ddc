package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses durations: a whole number and a unit, as {@code 60s}. The unit is required, because a bare number is
 * ambiguous.
 */
public final class DurationParser {
    private static final String REMEDY =
            "write a whole number and a unit with nothing between: 500ms, 60s, 5m, 1h or 7d";
    private static final Pattern FORM = Pattern.compile("([0-9]+)(ms|s|m|h|d)");

    /** A longer duration is a mistake, and in nanoseconds would overflow a {@code long}. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    /** Enough digits for the longest duration in milliseconds, and few enough for a {@code long}. */
    private static final int MOST_DIGITS = 16;

    static final ValueType TYPE = new ValueType("duration", REMEDY, (text, folder) -> parse(text.strip()));

    private DurationParser() {}

    /**
     * Parses a duration, as {@code 500ms} or {@code 5m}.
     *
     * @throws InvalidValueException if {@code text} is none, or is longer than 100 years
     */
    public static Duration parse(String text) throws InvalidValueException {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            boolean bare = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
            throw new InvalidValueException(bare ? "has no unit" : "is not a duration", REMEDY);
        }
        if (form.group(1).length() > MOST_DIGITS) {
            throw tooLong();
        }
        return bounded(Long.parseLong(form.group(1)), unit(form.group(2)));
    }

    private static ChronoUnit unit(String name) {
        return switch (name) {
            case "ms" -> ChronoUnit.MILLIS;
            case "s" -> ChronoUnit.SECONDS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.DAYS;
        };
    }

    private static Duration bounded(long count, ChronoUnit unit) throws InvalidValueException {
        if (count > LONGEST.dividedBy(unit.getDuration())) {
            throw tooLong();
        }
        return Duration.of(count, unit);
    }

    private static InvalidValueException tooLong() {
        return new InvalidValueException("is too long", "write at most " + LONGEST.toDays() + "d");
    }
}
