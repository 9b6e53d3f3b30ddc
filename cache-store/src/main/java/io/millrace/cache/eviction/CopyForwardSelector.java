package io.millrace.cache.eviction;

/**
 * Selects which blocks survive the eviction of their segment file, by estimated worth. All that are worth more than a
 * threshold are selected, and those worth just that while there is room. Used by one thread.
 */
public final class CopyForwardSelector {
    private final int threshold;
    private long ties;

    /**
     * @param threshold threshold: records that are worth more are selected
     * @param ties bytes to select of records worth exactly the threshold
     */
    public CopyForwardSelector(int threshold, long ties) {
        this.threshold = threshold;
        this.ties = ties;
    }

    /**
     * Returns a selection that fills the room with the best records.
     *
     * @param live bytes by worth
     * @param most bytes to select
     */
    public static CopyForwardSelector best(long[] live, long most) {
        long above = 0;
        int least = live.length - 1;
        while (least > 0 && above + live[least] <= most) {
            above += live[least--];
        }
        return new CopyForwardSelector(least, most - above);
    }

    /** Returns whether a record is selected; called once for each. */
    public boolean takes(int worth, long bytes) {
        if (worth != threshold) {
            return worth > threshold;
        }
        ties -= bytes;
        return ties >= 0;
    }
}
