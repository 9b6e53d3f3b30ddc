package io.millrace.cache.index;

/** What a record holds. The numbers are those of the format. */
public enum Kind {
    /** What a key is now. */
    HEAD(1),
    /** A piece of an object version. */
    BLOCK(2),
    /** A head, and the one block of its version. */
    OBJECT(3),
    /** Nothing: what was known of a key does not count any more. */
    TOMBSTONE(4);

    private static final Kind[] BY_CODE = {HEAD, HEAD, BLOCK, OBJECT, TOMBSTONE};

    private final int code;

    Kind(int code) {
        this.code = code;
    }

    /** Its number on disk, 1 to 4. */
    public int code() {
        return code;
    }

    /** Whether a later record of the same key takes its place. */
    public boolean isReplaceable() {
        return this != BLOCK;
    }

    /** Whether there is a kind with this number. */
    public static boolean isCode(int code) {
        return code >= 1 && code < BY_CODE.length;
    }

    /**
     * The kind with this number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Kind of(int code) {
        if (!isCode(code)) {
            throw new IllegalArgumentException("no kind of record: " + code);
        }
        return BY_CODE[code];
    }
}
