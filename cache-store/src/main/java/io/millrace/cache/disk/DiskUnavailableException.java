package io.millrace.cache.disk;

import java.nio.file.Path;

/** Thrown if a cache disk cannot be read at present. The message says which, and what to do. */
public final class DiskUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param folder of the disk */
    public DiskUnavailableException(Path folder) {
        super(
                ("the cache folder %s cannot be read now, so what it holds is not known: see millrace disks for the"
                                + " reason; try again when it is healthy, or lost")
                        .formatted(folder),
                null,
                false,
                false);
    }
}
