package io.millrace.cache.index;

/**
 * An entry of the index: where a record is, and facts about it, in two words.
 *
 * @param place segment, start of the record, start of its body
 * @param facts length of the body, whether it was checked, the group it is counted in
 */
public record IndexEntry(long place, long facts) {
    /** Records and bodies begin at multiples of this many bytes. */
    public static final int UNIT = 64;

    /** The largest segment whose records have a place, in bytes. */
    public static final long MAX_SEGMENT_BYTES = (1L << 24) * UNIT;

    /** Bytes that may lie between the start of a record and its body. */
    public static final int MAX_BODY_START = ((1 << 12) - 1) * UNIT;

    /** Bytes of the largest body. */
    public static final int MAX_BODY = (1 << 24) - 1;

    /** The highest number a segment can have. */
    public static final int MAX_SEGMENT = (1 << 28) - 1;

    /** The highest number of a group. */
    public static final int MAX_GROUP = (1 << 16) - 1;

    private static final int VERIFIED_SHIFT = 24;
    private static final int GROUP_SHIFT = 25;

    /**
     * The entry of a record that has not been checked yet.
     *
     * @param segment 1 to {@link #MAX_SEGMENT}
     * @param start of the record in its segment, a multiple of {@link #UNIT}
     * @param bodyStart of the body in its record, a multiple of {@link #UNIT}
     */
    public static IndexEntry of(int segment, long start, int bodyStart, int bodyBytes) {
        long place = ((long) segment << 36) | ((start / UNIT) << 12) | (bodyStart / UNIT);
        return new IndexEntry(place, bodyBytes);
    }

    /** Whether it leads to the record that begins there. */
    public boolean leadsTo(int segment, long start) {
        return segment() == segment && start() == start;
    }

    public int segment() {
        return (int) (place >>> 36);
    }

    /** Where the record begins in its segment, in bytes. */
    public long start() {
        return ((place >>> 12) & 0xFFFFFF) * UNIT;
    }

    /** Where the body begins in the segment, in bytes. */
    public long bodyPosition() {
        return start() + (place & 0xFFF) * UNIT;
    }

    public int bodyBytes() {
        return (int) (facts & MAX_BODY);
    }

    /** Whether the body was compared with its checksums since it was written or found. */
    public boolean isVerified() {
        return ((facts >>> VERIFIED_SHIFT) & 1) != 0;
    }

    /** The number of the group that it is counted in; 0 if in none. */
    public int group() {
        return (int) ((facts >>> GROUP_SHIFT) & MAX_GROUP);
    }

    /** The same in another group, 0 to {@link #MAX_GROUP}. */
    public IndexEntry in(int group) {
        return new IndexEntry(place, (facts & ~((long) MAX_GROUP << GROUP_SHIFT)) | ((long) group << GROUP_SHIFT));
    }

    /** The same, checked. */
    public IndexEntry verified() {
        return new IndexEntry(place, facts | (1L << VERIFIED_SHIFT));
    }
}
