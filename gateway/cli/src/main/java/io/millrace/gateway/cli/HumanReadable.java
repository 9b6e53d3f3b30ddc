package io.millrace.gateway.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/** Formats bytes, counts, percentages, durations and prices for people, in few characters. */
final class HumanReadable {
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final Pattern FRACTION = Pattern.compile("^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)\\.\\d+Z$");
    private static final long LARGEST_IN_FULL = 999_999;

    private HumanReadable() {}

    /** A time without the fraction of its second: {@code 2026-01-01T01:00:00Z}; another text as it is. */
    static String time(String text) {
        return FRACTION.matcher(text).replaceFirst("$1Z");
    }

    /** {@code 512 B}, {@code 3.4 MiB}, {@code -210 GiB}. */
    static String bytes(long bytes) {
        if (bytes < 0) {
            return "-" + bytes(bytes == Long.MIN_VALUE ? Long.MAX_VALUE : -bytes);
        }
        int unit = unit(bytes);
        return number(bytes, unit) + ' ' + SIZES[unit];
    }

    /** {@code 1.2/3.4 GiB}. */
    static String bytesFraction(long part, long whole) {
        int unit = unit(whole);
        return "%s/%s %s".formatted(number(part, unit), number(whole, unit), SIZES[unit]);
    }

    /**
     * {@code 12.35}, and two digits of what is less than one: {@code -0.059}. A sum of prices has more digits than it
     * means.
     */
    static String money(double amount) {
        BigDecimal exact = BigDecimal.valueOf(amount);
        BigDecimal rounded = Math.abs(amount) < 1
                ? exact.round(new MathContext(2, RoundingMode.HALF_UP))
                : exact.setScale(2, RoundingMode.HALF_UP);
        return rounded.toPlainString();
    }

    /** {@code 12,345}, and from a million on {@code 1.23M}. */
    static String count(long objects) {
        if (objects <= LARGEST_IN_FULL) {
            return String.format(Locale.ROOT, "%,d", objects);
        }
        return objects < 1_000_000_000
                ? String.format(Locale.ROOT, "%.2fM", objects / 1e6)
                : String.format(Locale.ROOT, "%.2fG", objects / 1e9);
    }

    /** {@code 25%}, and {@code 0.3%} below ten; rounded down, so that only the end is 100. */
    static String percent(double percent) {
        return percent > 0 && percent < 10
                ? String.format(Locale.ROOT, "%.1f%%", Math.floor(10 * percent) / 10)
                : (long) percent + "%";
    }

    /** {@code 850 us}, {@code 4.2 ms}, {@code 310 ms}, {@code 2.5s}, and from a minute on a {@link #duration}. */
    static String latency(Duration time) {
        double millis = time.toNanos() / 1e6;
        if (millis < 1) {
            return "%d us".formatted(time.toNanos() / 1000);
        }
        if (millis < 1000) {
            return millis < 10
                    ? String.format(Locale.ROOT, "%.1f ms", Math.floor(10 * millis) / 10)
                    : (long) millis + " ms";
        }
        return millis < 60_000 ? String.format(Locale.ROOT, "%.1fs", Math.floor(millis / 100) / 10) : duration(time);
    }

    /** {@code 7s}, {@code 4m05s}, {@code 3h20m}, {@code 12d4h}, {@code -7s}. */
    static String duration(Duration time) {
        if (time.isNegative()) {
            return "-" + duration(time.negated());
        }
        long seconds = time.toSeconds();
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return String.format(Locale.ROOT, "%dm%02ds", seconds / 60, seconds % 60);
        }
        if (seconds < 86_400) {
            return String.format(Locale.ROOT, "%dh%02dm", seconds / 3600, seconds / 60 % 60);
        }
        return "%dd%dh".formatted(seconds / 86_400, seconds / 3600 % 24);
    }

    private static int unit(long bytes) {
        int unit = 0;
        for (double rest = (double) bytes; rest >= 999.5 && unit < SIZES.length - 1; rest /= 1024) {
            unit++;
        }
        return unit;
    }

    private static String number(long bytes, int unit) {
        double value = (double) bytes / Math.pow(1024, unit);
        boolean tenths = unit > 0 && value > 0 && value < 9.95;
        return String.format(Locale.ROOT, tenths ? "%.1f" : "%.0f", value);
    }
}
