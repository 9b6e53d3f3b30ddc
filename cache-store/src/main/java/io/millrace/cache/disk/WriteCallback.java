package io.millrace.cache.disk;

/** What becomes of a record that is to be written. Told once, by the writer thread of its disk. */
@FunctionalInterface
public interface WriteCallback {
    /**
     * It is done.
     *
     * @param stored whether it can be found from now on
     */
    void written(boolean stored);
}
