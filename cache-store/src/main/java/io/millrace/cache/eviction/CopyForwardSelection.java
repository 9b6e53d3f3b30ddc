package io.millrace.cache.eviction;

/**
 * Selects the records of a segment to copy forward: all above an admission threshold, and of those at the threshold as many as there is room
 * for. Used by one thread.
 */
public final class CopyForwardSelection {
    private final int bar;
    private long ties;

    /**
     * @param bar what is worth more is taken
     * @param ties bytes that are taken of what is worth just that
     */
    public CopyForwardSelection(int bar, long ties) {
        this.bar = bar;
        this.ties = ties;
    }

    /**
     * As much as there is room for, whatever it is worth.
     *
     * @param live bytes by worth
     * @param most bytes that are taken
     */
    public static CopyForwardSelection best(long[] live, long most) {
        long above = 0;
        int least = live.length - 1;
        while (least > 0 && above + live[least] <= most) {
            above += live[least--];
        }
        return new CopyForwardSelection(least, most - above);
    }

    /** Whether a record is taken; asked once for each. */
    public boolean takes(int worth, long bytes) {
        if (worth != bar) {
            return worth > bar;
        }
        ties -= bytes;
        return ties >= 0;
    }
}
