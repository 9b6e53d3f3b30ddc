package io.millrace.cache.disk;

/** Callback that receives the outcome of a block's write to its disk. Called once, by the writer thread of the disk. */
@FunctionalInterface
public interface BlockWriteCallback {
    /**
     * The write has ended.
     *
     * @param stored whether the record can be found from now on
     */
    void written(boolean stored);
}
