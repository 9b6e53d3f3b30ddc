package io.millrace.gateway.agreement;

/**
 * A condition of a transaction: that a key has not changed since it was read.
 *
 * @param revision that of its entry, or {@link #ABSENT}
 */
record RevisionCompare(String key, long revision) {
    /** The revision of a key that has no entry. */
    static final long ABSENT = 0;

    RevisionCompare {
        AgreedLimits.checkKey(key);
    }

    /** Returns the condition that a key has no entry. */
    static RevisionCompare absent(String key) {
        return new RevisionCompare(key, ABSENT);
    }

    /** Returns the condition that an entry is as it was read. */
    static RevisionCompare unchanged(AgreedEntry entry) {
        return new RevisionCompare(entry.key(), entry.revision());
    }
}
