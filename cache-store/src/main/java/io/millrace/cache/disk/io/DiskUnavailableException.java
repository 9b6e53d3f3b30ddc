package io.millrace.cache.disk.io;

import java.io.IOException;
import java.nio.file.Path;

/** Signals that a disk, or a segment of it, cannot be read now. The message says which, and what to do. */
public final class DiskUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param folder of the disk */
    public DiskUnavailableException(Path folder) {
        this(("the cache folder %s cannot be read now, so what it holds is not known: see millrace disks for the"
                        + " reason; try again when it is healthy, or lost")
                .formatted(folder));
    }

    /**
     * For one segment.
     *
     * @param failure of a read
     */
    DiskUnavailableException(Path segment, IOException failure) {
        this(("the segment %s cannot be read (%s), so what it holds is not known: try again; if that persists,"
                        + " replace its disk")
                .formatted(segment, failure));
    }

    private DiskUnavailableException(String message) {
        super(message, null, false, false);
    }
}
