package io.millrace.cache.index;

/** Told what comes into the index and what goes, by the group it is in. Called under the lock of a part of the index; must be quick. */
public interface IndexListener {
    /** One that counts nothing. */
    IndexListener NONE = (group, bytes, times) -> {};

    /**
     * An entry came or went.
     *
     * @param group 1 to {@link IndexEntry#MAX_GROUP}
     * @param bytes of its body
     * @param times 1 if it came, -1 if it went
     */
    void count(int group, int bytes, int times);
}
