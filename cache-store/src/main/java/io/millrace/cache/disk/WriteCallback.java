package io.millrace.cache.disk;

/** Receives the outcome of a write. Called once, by the writer thread of the disk. */
@FunctionalInterface
public interface WriteCallback {
    /**
     * The write has ended.
     *
     * @param stored whether the record can be found from now on
     */
    void written(boolean stored);
}
