package io.millrace.kit.file;

import java.io.Closeable;
import java.io.IOException;

/** A place where lines are appended. Blocks; for one thread. */
public interface LineTarget extends Closeable {
    /**
     * Appends bytes that end with a line.
     *
     * @throws IOException if they were not all written; a call with the same bytes then writes them again from the
     *     start of a line
     */
    void append(byte[] lines) throws IOException;
}
