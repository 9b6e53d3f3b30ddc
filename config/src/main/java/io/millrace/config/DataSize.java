package io.millrace.config;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, from 0, with the units operators write: {@code KiB MiB GiB TiB} count in 1024s,
 * {@code kB MB GB TB} in 1000s, {@code B} or nothing is bytes.
 */
public record DataSize(long bytes) implements Comparable<DataSize> {
    private static final Pattern FORM = Pattern.compile("([0-9]+)([A-Za-z]*)");

    /**
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("is below 0");
        }
    }

    /** So many times 1024 bytes. */
    public static DataSize ofKibibytes(long count) {
        return new DataSize(Math.multiplyExact(count, Unit.KiB.bytes));
    }

    /** So many times 1024² bytes. */
    public static DataSize ofMebibytes(long count) {
        return new DataSize(Math.multiplyExact(count, Unit.MiB.bytes));
    }

    /** So many times 1024³ bytes. */
    public static DataSize ofGibibytes(long count) {
        return new DataSize(Math.multiplyExact(count, Unit.GiB.bytes));
    }

    /**
     * Reads a size as an operator writes it: a whole number and a unit with nothing between, as {@code 64KiB} or
     * {@code 4096}.
     *
     * @throws IllegalArgumentException if it is not one, or more than 2⁶³-1 bytes
     */
    public static DataSize parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("is not a size");
        }
        BigInteger count = new BigInteger(bounded(form.group(1)));
        BigInteger bytes = count.multiply(BigInteger.valueOf(Unit.of(form.group(2)).bytes));
        if (bytes.bitLength() >= Long.SIZE) {
            throw tooLarge();
        }
        return new DataSize(bytes.longValueExact());
    }

    @Override
    public int compareTo(DataSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** As an operator writes it, exactly: {@code 20GiB}, {@code 500MB}, {@code 4097B}. */
    @Override
    public String toString() {
        for (Unit unit : Unit.LARGEST_FIRST) {
            if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
                return bytes / unit.bytes + unit.name();
            }
        }
        return bytes + "B";
    }

    /** Digits that need not be turned into a number to know that it is too large: that takes time in their square. */
    private static String bounded(String digits) {
        if (digits.length() > 40) {
            throw tooLarge();
        }
        return digits;
    }

    private static IllegalArgumentException tooLarge() {
        return new IllegalArgumentException("is too large a size");
    }

    /** Named as operators write them; the largest that divides a size is the one it is written in. */
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
