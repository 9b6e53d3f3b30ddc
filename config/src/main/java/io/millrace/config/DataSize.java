package io.millrace.config;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, not negative. Operators write it with a unit: {@code KiB MiB GiB TiB} are powers of 1024,
 * {@code kB MB GB TB} are powers of 1000, {@code B} or no unit is bytes.
 */
public record DataSize(long bytes) implements Comparable<DataSize> {
    private static final Pattern FORM = Pattern.compile("([0-9]+)([A-Za-z]*)");

    /** The largest that is parsed: more than any disk has, and so little that a thousand of them can be added. */
    private static final DataSize LARGEST = new DataSize(1L << 53);

    /**
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("is negative");
        }
    }

    /** Returns {@code count} times 1024 bytes. */
    public static DataSize ofKibibytes(long count) {
        return new DataSize(Math.multiplyExact(count, Unit.KiB.bytes));
    }

    /** Returns {@code count} times 1024² bytes. */
    public static DataSize ofMebibytes(long count) {
        return new DataSize(Math.multiplyExact(count, Unit.MiB.bytes));
    }

    /** Returns {@code count} times 1024³ bytes. */
    public static DataSize ofGibibytes(long count) {
        return new DataSize(Math.multiplyExact(count, Unit.GiB.bytes));
    }

    /**
     * Parses a size: a whole number directly followed by a unit, as {@code 64KiB} or {@code 4096}.
     *
     * @throws IllegalArgumentException if {@code text} is not a size, or more than 8192TiB
     */
    public static DataSize parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("is not a size");
        }
        BigInteger count = new BigInteger(bounded(form.group(1)));
        BigInteger bytes = count.multiply(BigInteger.valueOf(Unit.of(form.group(2)).bytes));
        if (bytes.compareTo(BigInteger.valueOf(LARGEST.bytes)) > 0) {
            throw tooLarge();
        }
        return new DataSize(bytes.longValueExact());
    }

    @Override
    public int compareTo(DataSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** Formats the exact size in the largest unit that divides it: {@code 20GiB}, {@code 500MB}, {@code 4097B}. */
    @Override
    public String toString() {
        for (Unit unit : Unit.LARGEST_FIRST) {
            if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
                return bytes / unit.bytes + unit.name();
            }
        }
        return bytes + "B";
    }

    /** Refuses numbers that are too long before they are parsed, because parsing takes quadratic time. */
    private static String bounded(String digits) {
        if (digits.length() > 40) {
            throw tooLarge();
        }
        return digits;
    }

    private static IllegalArgumentException tooLarge() {
        return new IllegalArgumentException("is too large a size: the largest is " + LARGEST);
    }

    /** The units, named as operators write them. */
    private enum Unit {
        TiB(1L << 40),
        TB(1_000_000_000_000L),
        GiB(1L << 30),
        GB(1_000_000_000L),
        MiB(1L << 20),
        MB(1_000_000L),
        KiB(1L << 10),
        kB(1_000L),
        B(1L);

        private static final Unit[] LARGEST_FIRST = values();

        private final long bytes;

        Unit(long bytes) {
            this.bytes = bytes;
        }

        private static Unit of(String name) {
            if (name.isEmpty()) {
                return B;
            }
            for (Unit unit : LARGEST_FIRST) {
                if (unit.name().equals(name)) {
                    return unit;
                }
            }
            throw new IllegalArgumentException("is not a size: its unit is unknown");
        }
    }
}
