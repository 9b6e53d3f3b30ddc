package io.millrace.cache.disk;

/** Receives the result of one record's write, once, on the writer thread of its disk. */
@FunctionalInterface
public interface WriteCallback {
    /**
     * It is done.
     *
     * @param stored whether it can be found from now on
     */
    void written(boolean stored);
}
