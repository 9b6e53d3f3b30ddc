package io.millrace.config.binding;

import io.millrace.config.problem.InvalidValueException;
import java.math.BigInteger;
import java.util.regex.Pattern;

/** Parses numbers in decimal digits only: YAML 1.1 would read {@code 010} as 8 and {@code 1:30} as 90. */
final class NumberParser {
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]*)");
    private static final Pattern FRACTION = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    /** More digits than any number in range has. Bounds the time of parsing. */
    private static final int MOST_DIGITS = 400;

    static final ValueType INT = whole(Integer.MIN_VALUE, Integer.MAX_VALUE, Math::toIntExact);
    static final ValueType LONG = whole(Long.MIN_VALUE, Long.MAX_VALUE, value -> value);
    static final ValueType DOUBLE =
            new ValueType("number", "write a number, as 0.5", (text, folder) -> fraction(text.strip()));

    private NumberParser() {}

    private interface RangeConversion {
        Object of(long value);
    }

    private static ValueType whole(long least, long most, RangeConversion narrowing) {
        return new ValueType(
                "whole number",
                "write a whole number, as 8",
                (text, folder) -> narrowing.of(whole(text.strip(), least, most)));
    }

    private static long whole(String text, long least, long most) throws InvalidValueException {
        if (!WHOLE.matcher(text).matches()) {
            throw new InvalidValueException("is not a whole number", "write digits only, without a leading 0");
        }
        BigInteger value = new BigInteger(bounded(text));
        if (value.compareTo(BigInteger.valueOf(least)) < 0 || value.compareTo(BigInteger.valueOf(most)) > 0) {
            throw outOfRange(least, most);
        }
        return value.longValueExact();
    }

    private static double fraction(String text) throws InvalidValueException {
        if (!FRACTION.matcher(text).matches()) {
            throw new InvalidValueException("is not a number", "write digits, with a point before the fraction: 0.5");
        }
        double value = Double.parseDouble(bounded(text));
        if (Double.isInfinite(value)) {
            throw new InvalidValueException("is out of range", "write a smaller number");
        }
        return value;
    }

    private static String bounded(String text) throws InvalidValueException {
        if (text.length() > MOST_DIGITS) {
            throw new InvalidValueException("has too many digits", "write a number with fewer digits");
        }
        return text;
    }

    private static InvalidValueException outOfRange(long least, long most) {
        return new InvalidValueException("is out of range", "write a whole number from " + least + " to " + most);
    }
}
