package io.millrace.loadgen.client;

/**
 * Chooses objects by Zipf's law: the k-th most popular one in proportion to k<sup>-0.99</sup>. Popular objects are
 * spread over the catalog. It samples by inverting the integral of the law, with the first ranks exact, as YCSB does.
 *
 * @see <a href="https://doi.org/10.1145/191839.191886">Gray et al.: Quickly Generating Billion-Record Synthetic
 *     Databases</a>
 */
final class ZipfChooser implements ObjectChooser {
    private static final double EXPONENT = 0.99;

    /** Ranks whose terms are summed exactly; the rest is an integral, with an error below a millionth. */
    private static final long SUMMED = 10_000;

    private final long count;
    private final long seed;
    private final double total;
    private final double alpha = 1 / (1 - EXPONENT);
    private final double eta;
    private final IndexPermutation spread;

    ZipfChooser(long count, long seed) {
        this.count = count;
        this.seed = seed;
        this.total = sum(count);
        this.eta = (1 - Math.pow(2.0 / count, 1 - EXPONENT)) / (1 - sum(2) / total);
        this.spread = new IndexPermutation(count, ~seed);
    }

    @Override
    public long indexFor(long number) {
        return spread.apply(rank(SeededHash.unit(seed, number)));
    }

    private long rank(double share) {
        double scaled = share * total;
        if (scaled < 1 || count == 1) {
            return 0;
        }
        if (scaled < 1 + Math.pow(0.5, EXPONENT) || count == 2) {
            return 1;
        }
        return Math.min(count - 1, (long) (count * Math.pow(eta * share - eta + 1, alpha)));
    }

    private static double sum(long count) {
        double sum = 0;
        for (long rank = 1; rank <= Math.min(count, SUMMED); rank++) {
            sum += Math.pow((double) rank, -EXPONENT);
        }
        if (count > SUMMED) {
            sum += (Math.pow(count + 0.5, 1 - EXPONENT) - Math.pow(SUMMED + 0.5, 1 - EXPONENT)) / (1 - EXPONENT);
        }
        return sum;
    }
}
