package io.millrace.cache.disk;

/** Callback that is told whether a block was written to its disk. Called once, by the writer thread of the disk. */
@FunctionalInterface
public interface WriteCallback {
    /**
     * The write has ended.
     *
     * @param stored whether the record can be found from now on
     */
    void written(boolean stored);
}
