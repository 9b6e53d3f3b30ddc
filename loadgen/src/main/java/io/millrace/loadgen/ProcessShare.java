package io.millrace.loadgen;

/**
 * The share of one process in a load test that several processes run together.
 *
 * @param index from 0 to {@code of} - 1
 * @param of number of processes
 */
record ProcessShare(int index, int of) {
    /** All of the load. */
    static final ProcessShare WHOLE = new ProcessShare(0, 1);

    /**
     * Parses {@code 2/4}, the second of four.
     *
     * @throws IllegalArgumentException if {@code text} is no share
     */
    static ProcessShare parse(String text) {
        if (!text.matches("[1-9][0-9]{0,3}/[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException("not a share of the load, as 2/4: " + text);
        }
        int slash = text.indexOf('/');
        int index = Integer.parseInt(text.substring(0, slash));
        int of = Integer.parseInt(text.substring(slash + 1));
        if (index > of) {
            throw new IllegalArgumentException("there is no share " + index + " of " + of);
        }
        return new ProcessShare(index - 1, of);
    }

    /** Returns the number among all processes' operations of this process's operation with a number. */
    long number(long own) {
        return own * of + index;
    }

    /** Returns how many of {@code total} operations this process runs. */
    long part(long total) {
        return total == Long.MAX_VALUE ? total : (total - index + of - 1) / of;
    }
}
