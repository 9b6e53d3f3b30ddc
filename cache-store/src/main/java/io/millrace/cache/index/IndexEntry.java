package io.millrace.cache.index;

/**
 * An entry of the block index, in two 64-bit words: the position of a cached block on disk, and properties of its
 * bytes.
 *
 * @param place segment, start of the record, start of its body
 * @param facts bytes of the body, whether it is verified, its residency group
 */
public record IndexEntry(long place, long facts) {
    /** Records and bodies begin at multiples of this many bytes. */
    public static final int UNIT = 64;

    /** Bytes of the largest segment that places can address. */
    public static final long MAX_SEGMENT_BYTES = (1L << 24) * UNIT;

    /** Bytes between the start of a record and its body at most. */
    public static final int MAX_BODY_START = ((1 << 12) - 1) * UNIT;

    /** Bytes of the largest body. */
    public static final int MAX_BODY = (1 << 24) - 1;

    /** The highest number of a segment. */
    public static final int MAX_SEGMENT = (1 << 28) - 1;

    /** The highest number of a group. */
    public static final int MAX_GROUP = (1 << 16) - 1;

    private static final int VERIFIED_SHIFT = 24;
    private static final int GROUP_SHIFT = 25;

    /**
     * Returns the entry of a record that is not verified yet.
     *
     * @param segment 1 to {@link #MAX_SEGMENT}
     * @param start of the record in its segment, a multiple of {@link #UNIT}
     * @param bodyStart of the body in its record, a multiple of {@link #UNIT}
     */
    public static IndexEntry of(int segment, long start, int bodyStart, int bodyBytes) {
        long place = ((long) segment << 36) | ((start / UNIT) << 12) | (bodyStart / UNIT);
        return new IndexEntry(place, bodyBytes);
    }

    /** Returns whether it is the entry of the record that begins there. */
    public boolean leadsTo(int segment, long start) {
        return segment() == segment && start() == start;
    }

    public int segment() {
        return (int) (place >>> 36);
    }

    /** Returns where the record begins in its segment, in bytes. */
    public long start() {
        return ((place >>> 12) & 0xFFFFFF) * UNIT;
    }

    /** Returns where the body begins in the segment, in bytes. */
    public long bodyPosition() {
        return start() + (place & 0xFFF) * UNIT;
    }

    public int bodyBytes() {
        return (int) (facts & MAX_BODY);
    }

    /** Returns whether the body was verified since it was written or recovered. */
    public boolean isVerified() {
        return ((facts >>> VERIFIED_SHIFT) & 1) != 0;
    }

    /** Returns the number of its residency group; 0 if it has none. */
    public int group() {
        return (int) ((facts >>> GROUP_SHIFT) & MAX_GROUP);
    }

    /** Returns this entry in another group, 0 to {@link #MAX_GROUP}. */
    public IndexEntry in(int group) {
        return new IndexEntry(place, (facts & ~((long) MAX_GROUP << GROUP_SHIFT)) | ((long) group << GROUP_SHIFT));
    }

    /** Returns this entry, verified. */
    public IndexEntry verified() {
        return new IndexEntry(place, facts | (1L << VERIFIED_SHIFT));
    }
}
