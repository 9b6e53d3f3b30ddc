package io.millrace.cache.eviction;

/**
 * What of one segment is copied forward: all that is worth more than a bar, and of what is just worth the bar as much as there is room for.
 * Used by one thread.
 */
public final class Selection {
    private final int bar;
    private long ties;

    /**
     * @param bar what is worth more is taken
     * @param ties bytes that are taken of what is worth just that
     */
    public Selection(int bar, long ties) {
        this.bar = bar;
        this.ties = ties;
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
