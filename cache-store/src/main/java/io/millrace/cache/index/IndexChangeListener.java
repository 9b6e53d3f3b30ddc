package io.millrace.cache.index;

/**
 * Callback that counts blocks added to and removed from the block index, by group of objects. Called under the lock of
 * a shard; must be quick.
 */
public interface IndexChangeListener {
    /** A listener that does nothing. */
    IndexChangeListener NONE = (group, bytes, times) -> {};

    /**
     * An entry was added or removed.
     *
     * @param group 1 to {@link IndexEntry#MAX_GROUP}
     * @param bytes of its body
     * @param times 1 if it was added, -1 if it was removed
     */
    void count(int group, int bytes, int times);
}
