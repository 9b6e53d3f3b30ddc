package io.millrace.gateway.jobs.plan;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations in requests: {@code 7d} and {@code 12h}, or ISO 8601 such as {@code P7D} and {@code PT12H}. */
final class JobDurationParser {
    private static final Pattern SHORT = Pattern.compile("([0-9]{1,9})([smhdw])");
    private static final Map<String, Duration> UNITS = Map.of(
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1),
            "w", Duration.ofDays(7));

    private JobDurationParser() {}

    /** Returns true if a text looks like a duration. */
    static boolean isOne(String text) {
        return text.startsWith("P") || SHORT.matcher(text).matches();
    }

    /**
     * Parses a duration; months and years count back from {@code now}.
     *
     * @throws IllegalArgumentException if the text is no duration
     */
    static Duration parse(String text, Instant now) {
        Matcher plain = SHORT.matcher(text);
        try {
            if (plain.matches()) {
                return Objects.requireNonNull(UNITS.get(plain.group(2))).multipliedBy(Long.parseLong(plain.group(1)));
            }
            return text.contains("T") || text.endsWith("D")
                    ? Duration.parse(text)
                    : Duration.between(
                            now.atOffset(ZoneOffset.UTC)
                                    .minus(Period.parse(text))
                                    .toInstant(),
                            now);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("is not a duration: write 7d, 12h or 30m, or P7D", e);
        }
    }
}
