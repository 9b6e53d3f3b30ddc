package io.millrace.loadgen.client;

import io.millrace.config.DataSize;

/**
 * Distribution of object sizes. Operators write one size ({@code 4KiB}), a range whose logarithm is uniform
 * ({@code 4KiB..1MiB}), or weights ({@code 4KiB:90, 1MiB..8MiB:10}). The size of an object is a function of its index.
 */
public final class SizeDistribution {
    private static final long SEED = 0x5317EL;

    private final String text;
    private final WeightedChoice<Range> ranges;

    private record Range(long least, long most) {
        long at(double share) {
            if (least == most) {
                return least;
            }
            double logarithm = Math.log(least + 1.0) + share * (Math.log(most + 1.0) - Math.log(least + 1.0));
            return Math.min(most, Math.max(least, Math.round(Math.exp(logarithm) - 1)));
        }
    }

    private SizeDistribution(String text, WeightedChoice<Range> ranges) {
        this.text = text;
        this.ranges = ranges;
    }

    /**
     * Parses a distribution.
     *
     * @throws IllegalArgumentException if {@code text} is none
     */
    public static SizeDistribution parse(String text) {
        return new SizeDistribution(text.strip(), WeightedChoice.parse(text, SizeDistribution::range));
    }

    private static Range range(String text) {
        int dots = text.indexOf("..");
        if (dots < 0) {
            long size = DataSize.parse(text).bytes();
            return new Range(size, size);
        }
        Range range = new Range(
                DataSize.parse(text.substring(0, dots)).bytes(),
                DataSize.parse(text.substring(dots + 2)).bytes());
        if (range.least > range.most) {
            throw new IllegalArgumentException("begins with a larger size than it ends with");
        }
        return range;
    }

    /** Returns the size in bytes of the object at {@code index}. */
    long sizeOf(long index) {
        return ranges.choose(SeededHash.unit(SEED, index)).at(SeededHash.unit(~SEED, index));
    }

    /** Returns the distribution as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
