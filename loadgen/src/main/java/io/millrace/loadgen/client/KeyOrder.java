package io.millrace.loadgen.client;

/** Order in which operations choose the objects of a catalog. */
public enum KeyOrder {
    /** By index, and again from the first. */
    SEQUENTIAL,
    /** Each object equally likely, independent of the one before. */
    UNIFORM,
    /** Few objects very often, by Zipf's law with exponent 0.99. */
    ZIPF,
    /** Epochs: each object once in an order that differs in each epoch. The connections share an epoch. */
    SHUFFLED,
    /** Each connection by itself reads all objects by index, so that all want the same object at the same time. */
    EACH;

    /** Returns the chooser for a catalog of {@code count} objects. */
    public ObjectChooser chooser(long count, long seed) {
        return switch (this) {
            case SEQUENTIAL, EACH -> number -> number % count;
            case UNIFORM -> number -> SeededHash.below(count, seed, number);
            case ZIPF -> new ZipfChooser(count, seed);
            case SHUFFLED ->
                number -> new IndexPermutation(count, SeededHash.bits(seed, number / count)).apply(number % count);
        };
    }
}
