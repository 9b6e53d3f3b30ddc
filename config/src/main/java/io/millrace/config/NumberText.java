package io.millrace.config;

import java.math.BigInteger;
import java.util.regex.Pattern;

/** Numbers, in decimal digits only: YAML 1.1 would read {@code 010} as 8 and {@code 1:30} as 90. */
final class NumberText {
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]*)");
    private static final Pattern FRACTION = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    /** More digits than any number in range has; far longer ones take time to convert. */
    private static final int MOST_DIGITS = 400;

    static final ScalarShape INT = whole(Integer.MIN_VALUE, Integer.MAX_VALUE, Math::toIntExact);
    static final ScalarShape LONG = whole(Long.MIN_VALUE, Long.MAX_VALUE, value -> value);
    static final ScalarShape DOUBLE =
            new ScalarShape("number", "write a number, as 0.5", (text, folder) -> fraction(text.strip()));

    private NumberText() {}

    private interface Narrowing {
        Object of(long value);
    }

    private static ScalarShape whole(long least, long most, Narrowing narrowing) {
        return new ScalarShape(
                "whole number",
                "write a whole number, as 8",
                (text, folder) -> narrowing.of(whole(text.strip(), least, most)));
    }

    private static long whole(String text, long least, long most) throws Unfit {
        if (!WHOLE.matcher(text).matches()) {
            throw new Unfit("is not a whole number", "write digits only, without a leading 0");
        }
        BigInteger value = new BigInteger(bounded(text));
        if (value.compareTo(BigInteger.valueOf(least)) < 0 || value.compareTo(BigInteger.valueOf(most)) > 0) {
            throw outOfRange(least, most);
        }
        return value.longValueExact();
    }

    private static double fraction(String text) throws Unfit {
        if (!FRACTION.matcher(text).matches()) {
            throw new Unfit("is not a number", "write digits, with a point before the fraction: 0.5");
        }
        double value = Double.parseDouble(bounded(text));
        if (Double.isInfinite(value)) {
            throw new Unfit("is out of range", "write a smaller number");
        }
        return value;
    }

    private static String bounded(String text) throws Unfit {
        if (text.length() > MOST_DIGITS) {
            throw new Unfit("has too many digits", "write a number with less digits");
        }
        return text;
    }

    private static Unfit outOfRange(long least, long most) {
        return new Unfit("is out of range", "write a whole number from " + least + " to " + most);
    }
}
